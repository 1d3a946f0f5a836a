//! How much the reader downloads.

use std::{cmp::Reverse, fs, path::Path};

use anyhow::{Context, Result};

use crate::static_files::gzip;

struct Size {
    name: String,
    raw: usize,
    packed: usize,
}

/// Prints the sizes of the page's and the worker's modules and scripts in `dist`, as they are and after gzip -9.
pub fn print(dist: &Path) -> Result<()> {
    let mut sizes = Vec::new();
    for entry in fs::read_dir(dist).with_context(|| format!("There is no {}; build it.", dist.display()))? {
        let path = entry?.path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if path.is_file() {
            let bytes = fs::read(&path)?;
            sizes.push(Size { name, raw: bytes.len(), packed: gzip(&bytes)?.len() });
        }
    }
    sizes.sort_by_key(|size| Reverse(size.raw));
    let raw = sizes.iter().map(|size| size.raw).sum();
    let packed = sizes.iter().map(|size| size.packed).sum();
    sizes.push(Size { name: "total without models".to_owned(), raw, packed });
    println!("{:<32} {:>10} {:>10}", "file", "kB", "kB gzip -9");
    for size in &sizes {
        println!("{:<32} {:>10} {:>10}", size.name, kilobytes(size.raw), kilobytes(size.packed));
    }
    Ok(())
}

fn kilobytes(bytes: usize) -> String {
    format!("{:.1}", bytes as f64 / 1000.0)
}
