//! What an answer means, from its head alone.

use std::ops::Range;

use super::transport::Head;

/// What a head says about the body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// The body begins at the byte that was asked for and ends before `end`; the file has `total` bytes.
    Part { end: u64, total: u64 },
    /// The host ignored the range: the body is the whole file, of `length` bytes where that is said.
    Whole { length: Option<u64> },
    /// There is no byte where the range begins; the file has `total` bytes.
    Beyond { total: Option<u64> },
    /// 401.
    NeedsToken,
    /// 403.
    Refused,
    /// 404 or 410.
    Absent,
    /// 429, 408 or a fault of the host: worth another try.
    Later,
    /// A success that does not fit the question.
    Wrong(String),
    /// Any other status.
    Status,
}

impl Answer {
    /// Reads `head`, which answers a request for `asked`.
    pub(super) fn read(head: &Head, asked: &Range<u64>) -> Self {
        match head.status {
            206 => Self::part(head, asked),
            200 => Self::Whole { length: head.content_length },
            401 => Self::NeedsToken,
            403 => Self::Refused,
            404 | 410 => Self::Absent,
            416 => {
                let text = head.content_range.as_deref().unwrap_or_default();
                Self::Beyond { total: text.split_once("*/").and_then(|(_, total)| total.trim().parse().ok()) }
            }
            408 | 429 | 500..=599 => Self::Later,
            _ => Self::Status,
        }
    }

    fn part(head: &Head, asked: &Range<u64>) -> Self {
        let text = head.content_range.as_deref().unwrap_or_default();
        let Some((start, last, total)) = content_range(text) else {
            let shown: String = text.chars().take(80).collect();
            return Self::Wrong(format!("its Content-Range is \"{shown}\""));
        };
        if start != asked.start || last >= asked.end || last < start || last >= total {
            return Self::Wrong(format!(
                "asked for the bytes {} to {} it sent {start} to {last} of {total}",
                asked.start,
                asked.end - 1
            ));
        }
        let length = last + 1 - start;
        match head.content_length {
            Some(said) if said != length => {
                Self::Wrong(format!("it sends {said} bytes and calls them {length}"))
            }
            _ => Self::Part { end: last + 1, total },
        }
    }
}

/// `bytes 3-9/100` as (3, 9, 100).
fn content_range(text: &str) -> Option<(u64, u64, u64)> {
    let (range, total) = text.trim().strip_prefix("bytes")?.trim().split_once('/')?;
    let (start, last) = range.split_once('-')?;
    let number = |text: &str| text.trim().parse().ok();
    Some((number(start)?, number(last)?, number(total)?))
}

/// An `ETag` without quotes and weakness: the same file may come with either from two machines of one host.
pub(super) fn plain_etag(head: &Head) -> String {
    let text = head.etag.as_deref().unwrap_or_default().trim();
    text.strip_prefix("W/").unwrap_or(text).trim_matches('"').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(status: u16, content_range: &str, content_length: Option<u64>) -> Head {
        Head { status, content_range: Some(content_range.to_owned()), content_length, ..Head::default() }
    }

    #[test]
    fn parts_are_checked() {
        let asked = 3..10;
        let read = |text: &str, length| Answer::read(&head(206, text, length), &asked);
        assert_eq!(read("bytes 3-9/100", Some(7)), Answer::Part { end: 10, total: 100 });
        assert_eq!(read("bytes 3-5/6", None), Answer::Part { end: 6, total: 6 });
        for text in
            ["bytes 0-9/100", "bytes 3-10/100", "bytes 3-9/9", "bytes 9-3/100", "bytes 3-9/*", "", "x"]
        {
            assert!(matches!(read(text, None), Answer::Wrong(_)), "{text}");
        }
        assert!(matches!(read("bytes 3-9/100", Some(8)), Answer::Wrong(_)));
    }

    #[test]
    fn statuses_are_sorted() {
        let read = |status, text| Answer::read(&head(status, text, Some(5)), &(0..1));
        assert_eq!(read(200, ""), Answer::Whole { length: Some(5) });
        assert_eq!(read(416, "bytes */0"), Answer::Beyond { total: Some(0) });
        assert_eq!(read(503, ""), Answer::Later);
        assert_eq!(read(418, ""), Answer::Status);
        let etag = |text: &str| plain_etag(&Head { etag: Some(text.to_owned()), ..Head::default() });
        assert_eq!((etag("\"a\""), etag("W/\"a\"")), ("a".to_owned(), "a".to_owned()));
    }
}
