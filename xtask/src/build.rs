//! The release build of page and worker.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::Result;

use crate::{
    process::{cargo, run},
    sizes,
    stamp::stamp_worker,
    toolchain::add_wasm_target,
    tools::Tools,
};

/// Builds page and worker into `dist`, prints their sizes and returns the folder.
pub fn build(root: &Path) -> Result<PathBuf> {
    add_wasm_target()?;
    let tools = Tools::ready(root)?;
    build_with(root, &tools)
}

/// The same with tools that are known to be there.
pub fn build_with(root: &Path, tools: &Tools) -> Result<PathBuf> {
    // Trunk runs offline so that it takes the tools it is given; the crates must be here then.
    run(
        cargo(root).args(["fetch", "--locked"]),
        "the crates of Cargo.lock are not all here: crates.io must be within reach once.",
    )?;
    let mut trunk = Command::new("trunk");
    trunk.args(["build", "--release", "--offline", "--locked", "--skip-version-check"]);
    trunk.current_dir(root).env("PATH", tools.path()?);
    // Trunk wants `true` or `false` in this variable where others write `1`.
    trunk.env_remove("NO_COLOR");
    run(&mut trunk, "what is wrong is said above.")?;
    let dist = root.join("dist");
    stamp_worker(&dist)?;
    sizes::print(&dist)?;
    Ok(dist)
}
