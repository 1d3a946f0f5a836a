//! `cargo xtask serve`.

use std::path::Path;

use anyhow::Result;

use crate::{build::build, static_files::StaticFiles};

/// Builds unless told not to, and serves `dist` until interrupted.
pub fn serve(root: &Path, port: u16, build_first: bool) -> Result<()> {
    if build_first {
        build(root)?;
    }
    let server = StaticFiles::start(&root.join("dist"), port)?;
    println!("\nEigentilt is at {} (end with Ctrl-C)", server.url());
    server.wait();
    Ok(())
}
