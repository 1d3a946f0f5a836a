//! A folder on a host, read by ranges. What was fetched stays in memory until it is released, and in the store.
//!
//! `mod.rs` knows which bytes are there and which are missing, `fetch.rs` gets those that are missing, and
//! `answer.rs` says what an answer means. How requests are made and where ranges are kept is the platform's.

mod answer;
mod fetch;
pub(crate) mod transport;

#[cfg(not(target_arch = "wasm32"))]
pub(crate) mod disk;
#[cfg(not(target_arch = "wasm32"))]
pub(crate) mod native;

use std::{cell::RefCell, collections::BTreeMap, ops::Range, time::Duration};

use self::transport::{Record, Store, Transport};
use super::{
    PICKLE_ADVICE, SourceError,
    address::{Address, Token},
    ranges::{merge, split, subtract},
};

/// Longest range of one request, in bytes: what is lost where a connection breaks, and the unit of the store.
const PIECE: u64 = 8 << 20;

/// A folder on a host.
pub(crate) struct Remote<T, S> {
    transport: T,
    store: Option<S>,
    address: Address,
    token: Option<Token>,
    first_pause: Duration,
    files: RefCell<BTreeMap<String, State>>,
    notes: RefCell<Vec<String>>,
}

/// What is known of one file.
#[derive(Clone, Debug, Default)]
struct State {
    record: Option<Record>,
    absent: bool,
    /// Where the host sent the last request on to: a signed link that will expire.
    link: Option<String>,
    ignores_ranges: bool,
    /// Pieces in memory, by their first byte.
    held: BTreeMap<u64, Vec<u8>>,
    /// Ranges in the store.
    stored: Vec<Range<u64>>,
    /// Bytes of bodies that came over the network.
    fetched: u64,
}

impl State {
    fn held_ranges(&self) -> Vec<Range<u64>> {
        self.held.iter().map(|(&start, bytes)| start..start + bytes.len() as u64).collect()
    }
}

impl<T: Transport, S: Store> Remote<T, S> {
    /// The token goes to the hub only, whatever the address is. `first_pause` is the one before a second try.
    pub(crate) fn new(
        transport: T,
        store: Option<S>,
        address: Address,
        token: Option<Token>,
        first_pause: Duration,
    ) -> Self {
        let (files, notes) = (RefCell::default(), RefCell::default());
        Self { transport, store, address, token, first_pause, files, notes }
    }

    /// What went wrong without being an error, such as a full store.
    pub(crate) fn notes(&self) -> Vec<String> {
        self.notes.borrow().clone()
    }

    /// Bytes of `file` that came over the network.
    pub(crate) fn fetched(&self, file: &str) -> u64 {
        self.with(file, |state| state.fetched)
    }

    /// False where the host is known to send whole files only.
    pub(crate) fn takes_ranges(&self, file: &str) -> bool {
        !self.with(file, |state| state.ignores_ranges)
    }

    /// True where `file` is known to be there without asking the host.
    pub(crate) async fn is_stored(&self, file: &str) -> bool {
        self.known(file).await.is_some()
    }

    /// Length of `file` in bytes.
    pub(crate) async fn size(&self, file: &str) -> Result<u64, SourceError> {
        if let Some(record) = self.known(file).await {
            return Ok(record.length);
        }
        if self.with(file, |state| state.absent) {
            return Err(self.missing(file, ""));
        }
        match self.look(file).await {
            Err(SourceError::Missing { .. }) => {
                self.with(file, |state| state.absent = true);
                let pickled =
                    file == crate::checkpoint::WEIGHTS_FILE && self.look("pytorch_model.bin").await.is_ok();
                Err(self.missing(file, if pickled { PICKLE_ADVICE } else { "" }))
            }
            outcome => outcome,
        }
    }

    /// Bytes `range` of `file`, which must lie within it.
    pub(crate) async fn read(&self, file: &str, range: Range<u64>) -> Result<Vec<u8>, SourceError> {
        let before = self.with(file, |state| state.held_ranges());
        self.ensure(file, std::slice::from_ref(&range)).await?;
        let bytes = self.with(file, |state| copy(&state.held, &range));
        // Whoever did not ask for it in advance does not ask twice.
        self.with(file, |state| {
            state.held.retain(|&start, bytes| before.contains(&(start..start + bytes.len() as u64)));
        });
        bytes.ok_or_else(|| self.wrong(file, "fewer bytes came than it announced"))
    }

    /// Sees to it that `wanted` of `file` is in memory: from the store, and else from the host.
    pub(crate) async fn ensure(&self, file: &str, wanted: &[Range<u64>]) -> Result<(), SourceError> {
        self.size(file).await?;
        let missing = || self.with(file, |state| subtract(wanted, &state.held_ranges()));
        self.take_stored(file, &missing()).await;
        if self.takes_ranges(file) {
            self.fetch(file, split(&missing(), PIECE)).await?;
        }
        // Found out only now, or known before: the host sends whole files.
        if !self.takes_ranges(file) {
            self.stream(file, split(&missing(), PIECE)).await?;
        }
        Ok(())
    }

    /// Lets go of what is in memory of `file` within `ranges`.
    pub(crate) fn release(&self, file: &str, ranges: &[Range<u64>]) {
        // A piece may reach over two neighbours.
        let ranges = merge(ranges.to_vec(), 0);
        let within =
            |start: u64, end: u64| ranges.iter().any(|range| range.start <= start && end <= range.end);
        self.with(file, |state| {
            state.held.retain(|&start, bytes| !within(start, start + bytes.len() as u64));
        });
    }

    async fn known(&self, file: &str) -> Option<Record> {
        if let Some(record) = self.with(file, |state| state.record.clone()) {
            return Some(record);
        }
        let store = self.store.as_ref()?;
        let record = store.record(self.address.folder(), file).await?;
        let stored = store.ranges(self.address.folder(), file, &record).await;
        if stored.is_empty() {
            return None;
        }
        self.with(file, |state| (state.record, state.stored) = (Some(record.clone()), stored));
        Some(record)
    }

    async fn take_stored(&self, file: &str, missing: &[Range<u64>]) {
        let (Some(store), Some(record)) = (&self.store, self.with(file, |state| state.record.clone())) else {
            return;
        };
        let touches = |a: &Range<u64>| missing.iter().any(|b| a.start < b.end && b.start < a.end);
        let useful = self.with(file, |state| {
            state.stored.iter().filter(|range| touches(range)).cloned().collect::<Vec<_>>()
        });
        for range in useful {
            if let Some(bytes) = store.get(self.address.folder(), file, &record, &range).await {
                self.with(file, |state| hold(&mut state.held, range.start, bytes));
            }
        }
    }

    /// Keeps a fetched piece in memory and in the store.
    async fn keep(&self, file: &str, start: u64, bytes: Vec<u8>) {
        let range = start..start + bytes.len() as u64;
        let record = self.with(file, |state| state.record.clone());
        if let (Some(store), Some(record)) = (&self.store, record)
            && !bytes.is_empty()
        {
            match store.put(self.address.folder(), file, &record, &range, &bytes).await {
                Ok(()) => self.with(file, |state| state.stored.push(range)),
                Err(reason) => self.note(format!(
                    "What was fetched could not be kept ({reason}), so the next visit fetches it again."
                )),
            }
        }
        self.with(file, |state| hold(&mut state.held, start, bytes));
    }

    /// Takes note of how the host names and measures `file`; an error where that is not as it was.
    async fn recognise(&self, file: &str, length: u64, etag: &str) -> Result<(), SourceError> {
        let known = self.with(file, |state| state.record.clone());
        let Some(known) = known else {
            let record = Record { length, etag: etag.to_owned() };
            self.with(file, |state| state.record = Some(record));
            return Ok(());
        };
        let other_name = !known.etag.is_empty() && !etag.is_empty() && known.etag != etag;
        if known.length == length && !other_name {
            return Ok(());
        }
        // All that was read of the old file is of no use.
        self.with(file, |state| *state = State { fetched: state.fetched, ..State::default() });
        if let Some(store) = &self.store {
            store.forget(self.address.folder(), file).await;
        }
        Err(SourceError::Changed { file: file.to_owned(), place: self.place() })
    }

    fn with<R>(&self, file: &str, work: impl FnOnce(&mut State) -> R) -> R {
        let mut files = self.files.borrow_mut();
        if let Some(state) = files.get_mut(file) {
            return work(state);
        }
        work(files.entry(file.to_owned()).or_default())
    }

    fn note(&self, note: String) {
        let mut notes = self.notes.borrow_mut();
        if !notes.contains(&note) {
            notes.push(note);
        }
    }

    fn place(&self) -> String {
        self.address.name().to_owned()
    }

    fn missing(&self, file: &str, advice: &'static str) -> SourceError {
        SourceError::Missing { file: file.to_owned(), place: self.place(), advice }
    }

    fn wrong(&self, file: &str, reason: &str) -> SourceError {
        SourceError::WrongAnswer { file: file.to_owned(), place: self.place(), reason: reason.to_owned() }
    }
}

/// Of two pieces that begin at one byte the longer one stays.
fn hold(held: &mut BTreeMap<u64, Vec<u8>>, start: u64, bytes: Vec<u8>) {
    if held.get(&start).is_none_or(|old| old.len() < bytes.len()) && !bytes.is_empty() {
        held.insert(start, bytes);
    }
}

/// `range` put together from pieces; `None` where a byte of it is not there.
fn copy(held: &BTreeMap<u64, Vec<u8>>, range: &Range<u64>) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity((range.end - range.start) as usize);
    let mut at = range.start;
    while at < range.end {
        let (&start, piece) =
            held.range(..=at).rev().find(|(start, piece)| at < **start + piece.len() as u64)?;
        let end = range.end.min(start + piece.len() as u64);
        bytes.extend_from_slice(piece.get((at - start) as usize..(end - start) as usize)?);
        at = end;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_put_together() {
        let mut held = BTreeMap::new();
        hold(&mut held, 0, vec![0, 1, 2]);
        hold(&mut held, 2, vec![2, 3, 4]);
        hold(&mut held, 2, vec![2]);
        assert_eq!(copy(&held, &(1..5)), Some(vec![1, 2, 3, 4]));
        assert_eq!(copy(&held, &(1..6)), None);
        assert_eq!(copy(&held, &(4..4)), Some(vec![]));
    }
}
