//! Running other programs: their output is passed on as it is, their failure is told in one sentence.

use std::{
    env,
    ffi::OsStr,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context, Result, bail};

/// `cargo`, the one that runs this program.
#[must_use]
pub fn cargo(root: &Path) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root);
    command
}

/// Runs a program to its end. `advice` completes the sentence when it fails: what to do then.
pub fn run(command: &mut Command, advice: &str) -> Result<()> {
    let status = command.stdin(Stdio::null()).status().with_context(|| not_started(command))?;
    if !status.success() {
        bail!("`{}` failed ({status}); {advice}", shown(command));
    }
    Ok(())
}

/// Runs a program to its end, passes each line of its standard output on and shows it to `look`; tells whether
/// the program succeeded.
pub fn run_and_look(command: &mut Command, mut look: impl FnMut(&str)) -> Result<bool> {
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().with_context(|| not_started(command))?;
    if let Some(output) = child.stdout.take() {
        let mut reader = BufReader::new(output);
        let mut line = Vec::new();
        let mut stdout = std::io::stdout().lock();
        while reader.read_until(b'\n', &mut line)? > 0 {
            stdout.write_all(&line)?;
            stdout.flush()?;
            look(&String::from_utf8_lossy(&line));
            line.clear();
        }
    }
    Ok(child.wait()?.success())
}

/// What a program prints on standard output, `None` when it cannot be run or fails.
#[must_use]
pub fn output_of(program: impl AsRef<OsStr>, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).stdin(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The first of these programs that PATH has.
#[must_use]
pub fn on_path(programs: &[&str]) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    programs
        .iter()
        .flat_map(|program| env::split_paths(&path).map(move |folder| folder.join(program)))
        .find(|file| file.is_file())
}

fn not_started(command: &Command) -> String {
    format!("`{}` could not be started; is it installed?", command.get_program().to_string_lossy())
}

fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or(command.get_program());
    std::iter::once(program)
        .chain(command.get_args())
        .map(OsStr::to_string_lossy)
        .collect::<Vec<_>>()
        .join(" ")
}
