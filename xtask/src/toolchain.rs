//! Parts of the Rust toolchain that a fresh installation may lack.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result};

use crate::process::{cargo, output_of, run};

/// The target of page and worker.
pub const WASM: &str = "wasm32-unknown-unknown";

/// Adds the wasm target when it is missing.
pub fn add_wasm_target() -> Result<()> {
    let library = output_of("rustc", &["--print", "target-libdir", "--target", WASM]);
    if library.is_some_and(|path| PathBuf::from(path.trim()).is_dir()) {
        return Ok(());
    }
    rustup(&["target", "add", WASM])
}

/// Adds rustfmt and clippy when they are missing.
pub fn add_checkers(root: &Path) -> Result<()> {
    for (subcommand, component) in [("fmt", "rustfmt"), ("clippy", "clippy")] {
        let there =
            cargo(root).args([subcommand, "--version"]).output().is_ok_and(|out| out.status.success());
        if !there {
            rustup(&["component", "add", component])?;
        }
    }
    Ok(())
}

fn rustup(arguments: &[&str]) -> Result<()> {
    let wanted = arguments.join(" ");
    run(Command::new("rustup").args(arguments), "rustup needs the network for that.").with_context(|| {
        format!("Rust lacks a part: run `rustup {wanted}` (rustup is at https://rustup.rs).")
    })
}
