//! A folder of this machine's disk, read by ranges so that a large checkpoint is never in memory whole.

use std::{
    fs::File,
    io::{Read, Result, Seek, SeekFrom},
    ops::Range,
    path::Path,
};

pub(super) fn size(folder: &Path, file: &str) -> Result<u64> {
    Ok(std::fs::metadata(folder.join(file))?.len())
}

pub(super) fn read(folder: &Path, file: &str, range: Range<u64>) -> Result<Vec<u8>> {
    let mut file = File::open(folder.join(file))?;
    file.seek(SeekFrom::Start(range.start))?;
    let mut bytes = vec![0; (range.end - range.start) as usize];
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}
