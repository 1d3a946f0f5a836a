//! The command line of `cargo xtask`.
#![allow(clippy::print_stdout, reason = "this program speaks to the developer on standard output")]

use std::{
    env,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, Result, bail};
use xtask::{build::build, serve::serve, test::test};

const HELP: &str = "\
cargo xtask serve [--port 8080] [--no-build]   builds the page in release and serves it on 127.0.0.1
cargo xtask build                              builds the page in release into dist/
cargo xtask test                               runs every check and test, as CI does";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match command(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // The outermost sentence says what to do, the ones below it why.
            let sentences: Vec<String> = error.chain().map(ToString::to_string).collect();
            eprintln!("\nerror: {}", sentences.join("\n  because: "));
            ExitCode::FAILURE
        }
    }
}

fn command(arguments: &[String]) -> Result<()> {
    let root = root()?;
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["serve", options @ ..] => {
            let (port, build_first) = serve_options(options)?;
            serve(&root, port, build_first)
        }
        ["build"] => build(&root).map(drop),
        ["test"] => test(&root),
        [] | ["help" | "--help" | "-h"] => {
            println!("{HELP}");
            Ok(())
        }
        other => bail!("`{}` is no command here; there are:\n{HELP}", other.join(" ")),
    }
}

fn serve_options(mut options: &[&str]) -> Result<(u16, bool)> {
    let (mut port, mut build_first) = (8080, true);
    loop {
        options = match options {
            [] => return Ok((port, build_first)),
            ["--no-build", rest @ ..] => {
                build_first = false;
                rest
            }
            ["--port", value, rest @ ..] => {
                port = value.parse().with_context(|| format!("`{value}` is no port; give 1 to 65535."))?;
                rest
            }
            [other, ..] => bail!("`{other}` is no option of serve; there are --port NUMBER and --no-build."),
        };
    }
}

/// The folder of the workspace: above this package, which cargo names when it runs the program.
fn root() -> Result<PathBuf> {
    let package = env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    package.parent().map(Path::to_owned).context("The workspace is not found; run `cargo xtask` inside it.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_options_of_serve() {
        assert_eq!(serve_options(&[]).unwrap(), (8080, true));
        assert_eq!(serve_options(&["--no-build", "--port", "9000"]).unwrap(), (9000, false));
        assert!(serve_options(&["--port", "99999"]).is_err());
        assert!(serve_options(&["--port"]).is_err());
    }
}
