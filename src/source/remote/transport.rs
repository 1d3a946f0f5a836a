//! What fetching asks of the platform: one GET at a time, a pause, and a store of byte ranges. Natively that is
//! ureq, sleep and a folder of the disk.

use std::{ops::Range, time::Duration};

use serde::{Deserialize, Serialize};

use crate::source::address::Token;

/// One request.
#[derive(Clone, Debug)]
pub(crate) struct Ask {
    /// Where to.
    pub(crate) url: String,
    /// The bytes that are wanted; hosts are free to ignore it.
    pub(crate) range: Range<u64>,
    /// Sent to the origin of `url` only, never along a redirect to another.
    pub(crate) token: Option<Token>,
}

/// The answer before its body.
#[derive(Clone, Debug, Default)]
pub(crate) struct Head {
    /// HTTP status.
    pub(crate) status: u16,
    /// Address that answered, after redirects.
    pub(crate) url: String,
    /// As the host wrote it; absent too where the browser hides it.
    pub(crate) etag: Option<String>,
    /// As the host wrote it.
    pub(crate) content_range: Option<String>,
    /// In bytes; absent where the body is compressed, so that it would not be the file's.
    pub(crate) content_length: Option<u64>,
    /// In seconds.
    pub(crate) retry_after: Option<u64>,
}

/// A connection's end before its time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// Nothing answered.
    NoConnection(String),
    /// The answer broke off or fell silent.
    Cut(String),
    /// The answer cannot be followed, such as an endless redirect; trying again does not help.
    Wrong(String),
}

/// A body that comes in chunks.
pub(crate) trait Body {
    /// The next chunk; `None` at the end.
    async fn chunk(&mut self) -> Result<Option<Vec<u8>>, Trouble>;
}

/// How requests are made.
pub(crate) trait Transport {
    type Body: Body;
    /// Sends a GET, follows redirects, and answers as soon as the head is there.
    async fn get(&self, ask: Ask) -> Result<(Head, Self::Body), Trouble>;
    /// Waits.
    async fn pause(&self, duration: Duration);
}

/// What is known of a file before its bytes are there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record {
    /// In bytes.
    pub(crate) length: u64,
    /// The `ETag` without quotes; empty where the host gives none.
    pub(crate) etag: String,
}

/// Where fetched ranges are kept, by model (the folder's address), file, record and range.
pub(crate) trait Store {
    /// What was kept last of `file`.
    async fn record(&self, model: &str, file: &str) -> Option<Record>;
    /// The ranges that are kept of this very file.
    async fn ranges(&self, model: &str, file: &str, record: &Record) -> Vec<Range<u64>>;
    /// One of them.
    async fn get(&self, model: &str, file: &str, record: &Record, range: &Range<u64>) -> Option<Vec<u8>>;
    /// Keeps one more; an error is a reason in a few words.
    async fn put(
        &self,
        model: &str,
        file: &str,
        record: &Record,
        range: &Range<u64>,
        bytes: &[u8],
    ) -> Result<(), String>;
    /// Drops everything of `file`.
    async fn forget(&self, model: &str, file: &str);
}
