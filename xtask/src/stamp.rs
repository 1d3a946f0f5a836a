//! Marks the worker's address with a hash of its files.
//!
//! Trunk puts a hash into the page's file names but not into the worker's, whose name the page must know. A
//! browser or host that keeps files for a while could then run a new page with an old worker.

use std::{fs, path::Path};

use anyhow::{Context, Result};

use crate::static_files::hash;

const LOADER: &str = "worker_loader.js";

/// Rewrites `index.html` in `dist` so that it starts the worker at `worker_loader.js?v=<hash>`; the loader hands
/// the mark on to the worker's script and module.
pub fn stamp_worker(dist: &Path) -> Result<()> {
    let mut bytes = Vec::new();
    for file in [LOADER, "worker.js", "worker_bg.wasm"] {
        bytes.extend(fs::read(dist.join(file)).with_context(|| format!("The build has no {file}."))?);
    }
    let page = dist.join("index.html");
    let html = fs::read_to_string(&page).context("The build has no index.html.")?;
    fs::write(&page, stamped(&html, &hash(&bytes)))?;
    Ok(())
}

fn stamped(html: &str, mark: &str) -> String {
    html.replace(&format!("\"./{LOADER}\""), &format!("\"./{LOADER}?v={mark}\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_the_loader_once() {
        let html = "new URL(\"./worker_loader.js\", document.baseURI)";
        let marked = "new URL(\"./worker_loader.js?v=ab\", document.baseURI)";
        assert_eq!(stamped(html, "ab"), marked);
        assert_eq!(stamped(marked, "cd"), marked);
    }
}
