//! The tools of the web build: trunk, wasm-bindgen and wasm-opt, each at one version.
//!
//! A tool of the right version on PATH serves; otherwise it is installed once into the user's cache directory,
//! where every clone finds it.

use std::{
    env,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    process::{self, Command},
};

use anyhow::{Context, Result, bail};

use crate::process::{cargo, output_of, run};

const TRUNK: &str = "0.21.14";
/// Debian's own wasm-opt (108) writes modules that fail at load.
const BINARYEN: &str = "132.0.0";

/// Where the tools are.
#[derive(Debug, Default)]
pub struct Tools {
    /// Folders to put before PATH; empty when PATH has everything.
    folders: Vec<PathBuf>,
}

impl Tools {
    /// Finds the tools and installs those that are missing.
    pub fn ready(root: &Path) -> Result<Self> {
        let lock = fs::read_to_string(root.join("Cargo.lock"))
            .context("Cargo.lock could not be read; run `git restore Cargo.lock`.")?;
        let wasm_bindgen = locked_version(&lock, "wasm-bindgen")
            .context("Cargo.lock has no wasm-bindgen; run `git restore Cargo.lock`.")?;
        let cache = cache_folder()?;
        // A folder of this process: another clone may be installing at the same time.
        let build = cache.join(format!("build-{}", std::process::id()));
        let mut tools = Self::default();
        for tool in [
            Tool::from_crates("trunk", TRUNK, &["trunk"], true),
            // Not `--locked`: its lock file may name versions that were withdrawn.
            Tool::from_crates(
                "wasm-bindgen-cli",
                wasm_bindgen,
                &["wasm-bindgen", "wasm-bindgen-test-runner"],
                false,
            ),
            Tool::from_npm("binaryen", BINARYEN, &["wasm-opt"]),
        ] {
            if tool.answers(|program| program.into()) {
                continue;
            }
            let folder = cache.join(tool.folder_name());
            if !tool.is_in(&folder) {
                tool.install(root, &cache, &folder, &build)?;
            }
            tools.folders.push(folder.join(tool.programs_folder()));
        }
        // What was compiled on the way is of no more use.
        if build.is_dir() {
            let _ = fs::remove_dir_all(build);
        }
        Ok(tools)
    }

    /// PATH with the tools in front.
    pub fn path(&self) -> Result<OsString> {
        let path = env::var_os("PATH").unwrap_or_default();
        env::join_paths(self.folders.iter().cloned().chain(env::split_paths(&path)))
            .context("A folder of PATH or of the cache has a colon in its name; rename it.")
    }

    /// The runner that `cargo test` needs for wasm.
    #[must_use]
    pub fn test_runner(&self) -> PathBuf {
        let program = "wasm-bindgen-test-runner";
        self.folders
            .iter()
            .map(|folder| folder.join(program))
            .find(|file| file.is_file())
            .unwrap_or_else(|| program.into())
    }
}

enum Registry {
    Crates { locked: bool },
    Npm,
}

struct Tool<'a> {
    package: &'static str,
    version: &'a str,
    programs: &'static [&'static str],
    registry: Registry,
}

impl<'a> Tool<'a> {
    fn from_crates(
        package: &'static str,
        version: &'a str,
        programs: &'static [&'static str],
        locked: bool,
    ) -> Self {
        Self { package, version, programs, registry: Registry::Crates { locked } }
    }

    fn from_npm(package: &'static str, version: &'a str, programs: &'static [&'static str]) -> Self {
        Self { package, version, programs, registry: Registry::Npm }
    }

    fn folder_name(&self) -> String {
        format!("{}-{}", self.package, self.version)
    }

    fn programs_folder(&self) -> &'static str {
        match self.registry {
            Registry::Crates { .. } => "bin",
            Registry::Npm => "node_modules/.bin",
        }
    }

    /// Whether all programs run and say that they have the right version.
    fn answers(&self, place: impl Fn(&str) -> PathBuf) -> bool {
        self.programs.iter().all(|program| {
            output_of(place(program), &["--version"])
                .is_some_and(|output| same_version(reported_version(&output), self.version))
        })
    }

    fn is_in(&self, folder: &Path) -> bool {
        let programs = folder.join(self.programs_folder());
        self.answers(|program| programs.join(program))
    }

    /// Installs beside the final folder and moves it there when complete, so that an interrupted installation
    /// is never taken for a finished one.
    fn install(&self, root: &Path, cache: &Path, folder: &Path, build: &Path) -> Result<()> {
        println!("Installing {} {} into {}", self.package, self.version, folder.display());
        let partial = cache.join(format!(".{}-{}", self.folder_name(), process::id()));
        let _ = fs::remove_dir_all(&partial);
        fs::create_dir_all(&partial)
            .with_context(|| format!("{} could not be created; is there space?", partial.display()))?;
        let installed = run(&mut self.installer(root, &partial, build), &self.advice());
        if let Err(error) = installed {
            let _ = fs::remove_dir_all(&partial);
            return Err(error);
        }
        if !self.is_in(&partial) {
            let _ = fs::remove_dir_all(&partial);
            bail!("{} was installed but does not run; {}", self.package, self.advice());
        }
        // Another clone may have been faster; what does not run gives way.
        if !self.is_in(folder) {
            let _ = fs::remove_dir_all(folder);
            fs::rename(&partial, folder)
                .with_context(|| format!("{} could not be moved into place.", folder.display()))?;
        }
        let _ = fs::remove_dir_all(&partial);
        Ok(())
    }

    fn installer(&self, root: &Path, partial: &Path, build: &Path) -> Command {
        match self.registry {
            Registry::Crates { locked } => {
                let mut command = cargo(root);
                command.args(["install", self.package, "--version", self.version, "--root"]).arg(partial);
                command.arg("--target-dir").arg(build);
                // Without their TLS: trunk runs offline here, and the test runner speaks to this machine only.
                command.arg("--no-default-features");
                if locked {
                    command.arg("--locked");
                }
                // Their own profiles spend minutes on whole-program optimisation of programs that run for seconds.
                command.env("CARGO_PROFILE_RELEASE_LTO", "off");
                command.env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16");
                command.env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1");
                command.env_remove("RUSTFLAGS").env_remove("CARGO_ENCODED_RUSTFLAGS");
                command
            }
            Registry::Npm => {
                let mut command = Command::new("npm");
                command.args(["install", "--no-audit", "--no-fund", "--prefix"]).arg(partial);
                command.arg(format!("{}@{}", self.package, self.version));
                command
            }
        }
    }

    fn advice(&self) -> String {
        let registry = match self.registry {
            Registry::Crates { .. } => "crates.io",
            Registry::Npm => "Node and npm, and registry.npmjs.org",
        };
        format!(
            "this needs {registry} within reach; or put {} {} on PATH, then run the command again.",
            self.programs.join(" and "),
            self.version
        )
    }
}

/// `$XDG_CACHE_HOME/eigentilt/tools`, or `~/.cache/eigentilt/tools`.
fn cache_folder() -> Result<PathBuf> {
    let absolute = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = absolute("XDG_CACHE_HOME")
        .or_else(|| absolute("HOME").map(|home| home.join(".cache")))
        .or_else(|| absolute("LOCALAPPDATA"))
        .context("No cache directory: set XDG_CACHE_HOME to a folder that can be written.")?;
    Ok(cache.join("eigentilt/tools"))
}

/// The version of a package in the text of a Cargo.lock.
#[must_use]
pub fn locked_version<'a>(lock: &'a str, package: &str) -> Option<&'a str> {
    let value = |line: &'a str, key: &str| {
        line.strip_prefix(key)?.trim_start().strip_prefix('=')?.trim().strip_prefix('"')?.strip_suffix('"')
    };
    let mut lines = lock.lines();
    lines.find(|line| value(line, "name") == Some(package))?;
    lines.take_while(|line| !line.starts_with('[')).find_map(|line| value(line, "version"))
}

/// The version in what a program prints for `--version`: the first word of digits and dots.
fn reported_version(output: &str) -> Option<&str> {
    output.split_whitespace().find(|word| word.starts_with(|first: char| first.is_ascii_digit()))
}

/// Whether a program's version is the one of its package; wasm-opt says `132` where npm says `132.0.0`.
fn same_version(reported: Option<&str>, wanted: &str) -> bool {
    reported.is_some_and(|reported| {
        wanted
            .strip_prefix(reported)
            .is_some_and(|rest| rest.is_empty() || (rest.starts_with('.') && !reported.contains('.')))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCK: &str = "version = 4\n\n[[package]]\nname = \"wasm-bindgen-futures\"\nversion = \"0.4.80\"\n\n\
                        [[package]]\nname = \"wasm-bindgen\"\nversion = \"0.2.130\"\nsource = \"registry\"\n\
                        dependencies = [\n \"cfg-if\",\n]\n";

    #[test]
    fn reads_the_locked_version() {
        assert_eq!(locked_version(LOCK, "wasm-bindgen"), Some("0.2.130"));
        assert_eq!(locked_version(LOCK, "wasm-bindgen-futures"), Some("0.4.80"));
        assert_eq!(locked_version(LOCK, "wasm"), None);
        assert_eq!(locked_version("[[package]]\nname = \"a\"\n[[package]]\nversion = \"1\"", "a"), None);
    }

    #[test]
    fn reads_reported_versions() {
        assert_eq!(reported_version("trunk 0.21.14\n"), Some("0.21.14"));
        assert_eq!(reported_version("wasm-bindgen 0.2.130 (abc 2026-01-01)\n"), Some("0.2.130"));
        assert_eq!(reported_version("wasm-opt version 132 (version_132)\n"), Some("132"));
        assert_eq!(reported_version("no version\n"), None);
    }

    #[test]
    fn compares_versions() {
        assert!(same_version(Some("0.21.14"), "0.21.14"));
        assert!(same_version(Some("132"), "132.0.0"));
        assert!(!same_version(Some("13"), "132.0.0"));
        assert!(!same_version(Some("0.2.13"), "0.2.130"));
        assert!(!same_version(Some("0.21"), "0.21.14"));
        assert!(!same_version(None, "0.21.14"));
    }
}
