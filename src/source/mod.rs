//! Where bytes come from. A source is a folder with a few files, of which parts can be read.

use std::{collections::BTreeMap, fmt, ops::Range};

pub mod address;
#[cfg(target_arch = "wasm32")]
mod browser;
mod error;
mod fetched;
#[cfg(not(target_arch = "wasm32"))]
mod folder;
pub mod ranges;
#[cfg(all(feature = "command", not(target_arch = "wasm32")))]
mod remote;

#[cfg(target_arch = "wasm32")]
pub use browser::{FetchError, LocalFiles, fetch_folder};
pub use error::SourceError;
#[cfg(all(feature = "command", not(target_arch = "wasm32")))]
pub use fetched::RemoteOptions;

#[cfg(all(feature = "command", not(target_arch = "wasm32")))]
type Remote = remote::Remote<remote::native::Native, remote::disk::Disk>;

/// Said where only a pickled checkpoint is found; it is never read.
pub(crate) const PICKLE_ADVICE: &str = " Only pytorch_model.bin is there, a pickle, which can run code and is never opened: convert it with the \
      safetensors library or take a repository that has model.safetensors.";

/// A folder of model files.
pub struct Source {
    name: String,
    place: Place,
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The bytes themselves would fill screens.
        f.debug_struct("Source").field("name", &self.name).finish_non_exhaustive()
    }
}

enum Place {
    Memory(BTreeMap<String, Vec<u8>>),
    #[cfg(not(target_arch = "wasm32"))]
    Folder(std::path::PathBuf),
    #[cfg(target_arch = "wasm32")]
    Local(LocalFiles),
    #[cfg(all(feature = "command", not(target_arch = "wasm32")))]
    Remote(Box<Remote>),
}

impl Source {
    /// Files that are in memory already, by name.
    #[must_use]
    pub fn memory(name: impl Into<String>, files: BTreeMap<String, Vec<u8>>) -> Self {
        Self { name: name.into(), place: Place::Memory(files) }
    }

    /// A folder of this machine's disk.
    #[cfg(not(target_arch = "wasm32"))]
    #[must_use]
    pub fn folder(path: impl Into<std::path::PathBuf>) -> Self {
        let path = path.into();
        Self { name: path.display().to_string(), place: Place::Folder(path) }
    }

    /// Files that the reader chose or dropped on the page.
    #[cfg(target_arch = "wasm32")]
    #[must_use]
    pub fn local(name: impl Into<String>, files: LocalFiles) -> Self {
        Self { name: name.into(), place: Place::Local(files) }
    }

    /// What the reader calls it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Length of `file` in bytes.
    ///
    /// # Errors
    /// [`SourceError::Missing`] or [`SourceError::Unreadable`].
    // The asynchronous arms exist in the browser only.
    #[allow(clippy::unused_async)]
    pub async fn size(&self, file: &str) -> Result<u64, SourceError> {
        match &self.place {
            Place::Memory(files) => files.get(file).map(|bytes| bytes.len() as u64).ok_or_else(|| {
                self.missing(file, file.ends_with(".safetensors") && files.contains_key("pytorch_model.bin"))
            }),
            #[cfg(not(target_arch = "wasm32"))]
            Place::Folder(path) => folder::size(path, file).map_err(|error| self.unreadable(file, &error)),
            #[cfg(target_arch = "wasm32")]
            Place::Local(files) => files.size(file).ok_or_else(|| {
                self.missing(
                    file,
                    file.ends_with(".safetensors") && files.size("pytorch_model.bin").is_some(),
                )
            }),
            #[cfg(all(feature = "command", not(target_arch = "wasm32")))]
            Place::Remote(remote) => remote.size(file).await,
        }
    }

    /// Bytes `range` of `file`.
    ///
    /// # Errors
    /// Any [`SourceError`]; [`SourceError::Truncated`] where the file ends before `range` does.
    pub async fn read(&self, file: &str, range: Range<u64>) -> Result<Vec<u8>, SourceError> {
        let length = self.size(file).await?;
        if range.end > length || range.start > range.end {
            return Err(SourceError::Truncated { file: file.to_owned(), length, end: range.end });
        }
        match &self.place {
            Place::Memory(files) => Ok(files
                .get(file)
                .and_then(|bytes| bytes.get(range.start as usize..range.end as usize))
                .map(<[u8]>::to_vec)
                .unwrap_or_default()),
            #[cfg(not(target_arch = "wasm32"))]
            Place::Folder(path) => {
                folder::read(path, file, range).map_err(|error| self.unreadable(file, &error))
            }
            #[cfg(target_arch = "wasm32")]
            Place::Local(files) => files.read(file, range).await.map_err(|reason| SourceError::Unreadable {
                file: file.to_owned(),
                place: self.name.clone(),
                reason,
            }),
            #[cfg(all(feature = "command", not(target_arch = "wasm32")))]
            Place::Remote(remote) => remote.read(file, range).await,
        }
    }

    /// The whole of `file`, which may have at most `limit` bytes.
    ///
    /// # Errors
    /// Any [`SourceError`].
    pub async fn read_all(&self, file: &str, limit: u64) -> Result<Vec<u8>, SourceError> {
        let length = self.size(file).await?;
        if length > limit {
            return Err(SourceError::TooLarge { file: file.to_owned(), length, limit });
        }
        self.read(file, 0..length).await
    }

    fn missing(&self, file: &str, only_pickle: bool) -> SourceError {
        SourceError::Missing {
            file: file.to_owned(),
            place: self.name.clone(),
            advice: if only_pickle { PICKLE_ADVICE } else { "" },
        }
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn unreadable(&self, file: &str, error: &std::io::Error) -> SourceError {
        if error.kind() == std::io::ErrorKind::NotFound {
            let pickle =
                matches!(&self.place, Place::Folder(path) if path.join("pytorch_model.bin").is_file());
            return self.missing(file, file.ends_with(".safetensors") && pickle);
        }
        SourceError::Unreadable { file: file.to_owned(), place: self.name.clone(), reason: error.to_string() }
    }
}
