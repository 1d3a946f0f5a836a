//! Arithmetic on lists of byte ranges: what a plan of fetching is made of.

use std::ops::Range;

/// A request costs about as much time as this many bytes, so that a gap of this length is fetched along.
pub const GAP: u64 = 16 * 1024;

/// Sorts `ranges` and joins those that overlap, touch, or have at most `gap` bytes between them.
#[must_use]
pub fn merge(mut ranges: Vec<Range<u64>>, gap: u64) -> Vec<Range<u64>> {
    ranges.retain(|range| range.start < range.end);
    ranges.sort_by_key(|range| (range.start, range.end));
    let mut merged: Vec<Range<u64>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start <= last.end.saturating_add(gap) => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}

/// What is left of `wanted` without `had`, in order and without overlaps.
#[must_use]
pub fn subtract(wanted: &[Range<u64>], had: &[Range<u64>]) -> Vec<Range<u64>> {
    let had = merge(had.to_vec(), 0);
    let mut left = Vec::new();
    for range in merge(wanted.to_vec(), 0) {
        let mut start = range.start;
        for other in had.iter().filter(|other| other.end > range.start && other.start < range.end) {
            if other.start > start {
                left.push(start..other.start);
            }
            start = start.max(other.end);
        }
        if start < range.end {
            left.push(start..range.end);
        }
    }
    left
}

/// Cuts `ranges` into pieces of at most `longest` bytes.
#[must_use]
pub fn split(ranges: &[Range<u64>], longest: u64) -> Vec<Range<u64>> {
    let longest = longest.max(1);
    ranges
        .iter()
        .flat_map(|range| {
            let count = (range.end - range.start).div_ceil(longest);
            (0..count).map(move |k| {
                let start = range.start + k * longest;
                start..range.end.min(start + longest)
            })
        })
        .collect()
}

/// Number of bytes in `ranges`, which must not overlap.
#[must_use]
pub fn total(ranges: &[Range<u64>]) -> u64 {
    ranges.iter().map(|range| range.end - range.start).sum()
}

#[cfg(test)]
// Lists of ranges are what this file is about.
#[allow(clippy::single_range_in_vec_init)]
mod tests {
    use super::*;

    #[test]
    fn near_neighbours_are_joined() {
        assert_eq!(merge(vec![10..20, 0..5, 22..30, 5..5, 12..14], 2), [0..5, 10..30]);
        assert_eq!(merge(vec![0..5, 5..6], 0), [0..6]);
    }

    #[test]
    fn what_is_had_is_left_out() {
        assert_eq!(subtract(&[0..10, 20..30], &[2..4, 8..22, 29..40]), [0..2, 4..8, 22..29]);
        assert_eq!(subtract(&[0..10], &[0..5, 5..10]), []);
        assert_eq!(subtract(&[3..7], &[]), [3..7]);
    }

    #[test]
    fn pieces_have_a_longest_length() {
        assert_eq!(split(&[0..10, 12..13], 4), [0..4, 4..8, 8..10, 12..13]);
        assert_eq!(total(&split(&[5..1_000], 7)), 995);
    }
}
