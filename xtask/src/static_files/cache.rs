//! Files in memory: read, hashed and compressed once, again only after they changed on disk.

use std::{
    collections::HashMap,
    fs,
    hash::{DefaultHasher, Hasher},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError},
    time::SystemTime,
};

use flate2::{Compression, write::GzEncoder};

/// One file as it was when last read.
#[derive(Debug)]
pub struct Content {
    /// The bytes of the file.
    pub bytes: Vec<u8>,
    /// A hash of the bytes in hexadecimal digits, without quotation marks.
    pub hash: String,
    modified: Option<SystemTime>,
    gzip: OnceLock<Option<Vec<u8>>>,
}

impl Content {
    /// The bytes compressed, `None` when that makes them no shorter.
    pub fn gzip(&self) -> Option<&[u8]> {
        self.gzip
            .get_or_init(|| gzip(&self.bytes).ok().filter(|packed| packed.len() < self.bytes.len()))
            .as_deref()
    }
}

/// Compresses as static hosts do (level 9).
pub fn gzip(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    encoder.finish()
}

/// A hash in hexadecimal digits; it tells versions of a file apart and is no protection against forgery.
#[must_use]
pub fn hash(bytes: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    format!("{:016x}", hasher.finish())
}

/// The files served so far.
#[derive(Debug, Default)]
pub struct Cache {
    files: Mutex<HashMap<PathBuf, Arc<Content>>>,
}

impl Cache {
    /// The content of a file, from memory unless its length or time of change differ.
    pub fn read(&self, path: &Path) -> io::Result<Arc<Content>> {
        let metadata = fs::metadata(path)?;
        let modified = metadata.modified().ok();
        if let Some(content) = self.files.lock().unwrap_or_else(PoisonError::into_inner).get(path)
            && content.modified == modified
            && u64::try_from(content.bytes.len()) == Ok(metadata.len())
        {
            return Ok(Arc::clone(content));
        }
        // Read without the lock: another thread may serve meanwhile, at worst both read the file.
        let bytes = fs::read(path)?;
        let content = Arc::new(Content { hash: hash(&bytes), bytes, modified, gzip: OnceLock::new() });
        self.files
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(path.to_owned(), Arc::clone(&content));
        Ok(content)
    }
}
