//! Which bytes of which files a question needs, so that they can be fetched together and before they are read.

use std::{collections::BTreeMap, ops::Range};

use crate::source::ranges::{GAP, merge, total};

/// Ranges by the index of the checkpoint's file. Ranges that touch or nearly touch are one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    files: BTreeMap<usize, Vec<Range<u64>>>,
}

impl Plan {
    /// Puts `ranges` of file number `file` on the list.
    pub(super) fn add(&mut self, file: usize, ranges: impl IntoIterator<Item = Range<u64>>) {
        let all = self.files.entry(file).or_default();
        all.extend(ranges);
        *all = merge(std::mem::take(all), GAP);
    }

    /// Puts all of `other` on the list, without joining its ranges with those that are there: each part can
    /// then be let go by itself.
    pub fn append(&mut self, other: &Self) {
        for (&file, ranges) in &other.files {
            self.files.entry(file).or_default().extend(ranges.iter().cloned());
        }
    }

    /// Number of bytes, with the gaps that are fetched along.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.files.values().map(|ranges| total(ranges)).sum()
    }

    /// Number of ranges.
    #[must_use]
    pub fn count(&self) -> usize {
        self.files.values().map(Vec::len).sum()
    }

    pub(super) fn files(&self) -> impl Iterator<Item = (usize, &[Range<u64>])> {
        self.files.iter().map(|(&file, ranges)| (file, ranges.as_slice()))
    }
}
