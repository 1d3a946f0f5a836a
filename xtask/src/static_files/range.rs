//! The `Range` header: single byte ranges (RFC 9110, section 14).

use std::ops::Range;

/// What a `Range` header asks for in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The whole file: no range, several ranges, another unit or a malformed header, which a server may ignore.
    Whole,
    /// These bytes, never empty and inside the file.
    Part(Range<usize>),
    /// Nothing that the file has: answer 416.
    Nothing,
}

/// Reads a `Range` header for a file of `length` bytes.
#[must_use]
pub fn wanted(header: Option<&str>, length: usize) -> Wanted {
    let Some((first, last)) = header
        .and_then(|value| value.trim().strip_prefix("bytes="))
        .filter(|ranges| !ranges.contains(','))
        .and_then(|range| range.trim().split_once('-'))
    else {
        return Wanted::Whole;
    };
    match (position(first), position(last)) {
        (Position::Malformed, _) | (_, Position::Malformed) | (Position::Empty, Position::Empty) => {
            Wanted::Whole
        }
        (Position::Empty, Position::At(count)) => part(length.saturating_sub(count), length),
        (Position::At(start), Position::Empty) => part(start, length),
        (Position::At(start), Position::At(end)) if end < start => Wanted::Whole,
        (Position::At(start), Position::At(end)) => part(start, end.saturating_add(1).min(length)),
    }
}

enum Position {
    Empty,
    At(usize),
    Malformed,
}

fn position(text: &str) -> Position {
    if text.is_empty() {
        Position::Empty
    } else if text.bytes().all(|byte| byte.is_ascii_digit()) {
        // A number beyond the machine's own is beyond every file.
        Position::At(text.parse().unwrap_or(usize::MAX))
    } else {
        Position::Malformed
    }
}

fn part(start: usize, end: usize) -> Wanted {
    if start < end { Wanted::Part(start..end) } else { Wanted::Nothing }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_single_ranges() {
        assert_eq!(wanted(Some("bytes=0-0"), 10), Wanted::Part(0..1));
        assert_eq!(wanted(Some("bytes=3-"), 10), Wanted::Part(3..10));
        assert_eq!(wanted(Some("bytes=-4"), 10), Wanted::Part(6..10));
        assert_eq!(wanted(Some("bytes=-40"), 10), Wanted::Part(0..10));
        assert_eq!(wanted(Some("bytes=8-99999999999999999999999"), 10), Wanted::Part(8..10));
    }

    #[test]
    fn refuses_ranges_outside_the_file() {
        assert_eq!(wanted(Some("bytes=10-"), 10), Wanted::Nothing);
        assert_eq!(wanted(Some("bytes=-0"), 10), Wanted::Nothing);
        assert_eq!(wanted(Some("bytes=0-0"), 0), Wanted::Nothing);
    }

    #[test]
    fn ignores_what_it_does_not_serve() {
        for header in ["bytes=0-1,3-4", "lines=1-2", "bytes=a-b", "bytes=-", "bytes=5-2", "bytes=+1-2"] {
            assert_eq!(wanted(Some(header), 10), Wanted::Whole, "{header}");
        }
        assert_eq!(wanted(None, 10), Wanted::Whole);
    }
}
