//! What a [`Source`] on a host has beside reading: plans that are fetched together, and counts of bytes. For all
//! other sources these do nothing.

use std::ops::Range;

#[allow(unused_imports)]
use super::{Place, Source, SourceError};

/// How a folder on a host is read.
#[cfg(all(feature = "command", not(target_arch = "wasm32")))]
#[derive(Clone, Debug)]
pub struct RemoteOptions {
    /// Sent to the hub only, never along a redirect to another host.
    pub token: Option<super::address::Token>,
    /// Folder in which fetched ranges are kept; `None` keeps nothing.
    pub store: Option<std::path::PathBuf>,
    /// Pause before the second try of a request; the one before the third is four times as long.
    pub first_pause: std::time::Duration,
    /// A host that says nothing for so long is given up.
    pub silence: std::time::Duration,
}

#[cfg(all(feature = "command", not(target_arch = "wasm32")))]
impl Default for RemoteOptions {
    fn default() -> Self {
        let (first_pause, silence) = (std::time::Duration::from_secs(1), std::time::Duration::from_secs(30));
        Self { token: None, store: None, first_pause, silence }
    }
}

// Without a source on a host there is nothing to wait for.
#[allow(clippy::unused_async, unused_variables)]
impl Source {
    /// A folder on a host, fetched by ranges.
    #[cfg(all(feature = "command", not(target_arch = "wasm32")))]
    #[must_use]
    pub fn remote(address: super::address::Address, options: RemoteOptions) -> Self {
        use super::remote::{Remote, disk::Disk, native::Native};
        let RemoteOptions { token, store, first_pause, silence } = options;
        let name = address.name().to_owned();
        let remote = Remote::new(Native::new(silence), store.map(Disk), address, token, first_pause);
        Self { name, place: Place::Remote(Box::new(remote)) }
    }

    /// Fetches `ranges` of `file` several at once, so that [`Self::read`] finds them in memory until
    /// [`Self::release`].
    ///
    /// # Errors
    /// Any [`SourceError`].
    pub async fn prefetch(&self, file: &str, ranges: &[Range<u64>]) -> Result<(), SourceError> {
        #[cfg(all(feature = "command", not(target_arch = "wasm32")))]
        if let Place::Remote(remote) = &self.place {
            return remote.ensure(file, ranges).await;
        }
        Ok(())
    }

    /// Lets go of what [`Self::prefetch`] keeps in memory of `file` within `ranges`.
    pub fn release(&self, file: &str, ranges: &[Range<u64>]) {
        #[cfg(all(feature = "command", not(target_arch = "wasm32")))]
        if let Place::Remote(remote) = &self.place {
            remote.release(file, ranges);
        }
    }

    /// False where the host is known to send `file` whole only: everything is then fetched in one go.
    #[must_use]
    pub fn takes_ranges(&self, file: &str) -> bool {
        #[cfg(all(feature = "command", not(target_arch = "wasm32")))]
        if let Place::Remote(remote) = &self.place {
            return remote.takes_ranges(file);
        }
        true
    }

    /// True where `file` was fetched on an earlier visit.
    pub async fn is_stored(&self, file: &str) -> bool {
        #[cfg(all(feature = "command", not(target_arch = "wasm32")))]
        if let Place::Remote(remote) = &self.place {
            return remote.is_stored(file).await;
        }
        false
    }

    /// Bytes of `file` that came over the network; `None` where none has to.
    #[must_use]
    pub fn fetched(&self, file: &str) -> Option<u64> {
        #[cfg(all(feature = "command", not(target_arch = "wasm32")))]
        if let Place::Remote(remote) = &self.place {
            return Some(remote.fetched(file));
        }
        None
    }

    /// Plain sentences on what went wrong without being an error, such as a full store.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        #[cfg(all(feature = "command", not(target_arch = "wasm32")))]
        if let Place::Remote(remote) = &self.place {
            return remote.notes();
        }
        Vec::new()
    }
}
