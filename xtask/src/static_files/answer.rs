//! What to answer to a request: a plain function from what was asked to status, headers and body.

use std::{ops::Range, path::Path, sync::Arc};

use super::{
    cache::{Cache, Content},
    mime::media_type,
    path::{inside, relative_path},
    range::{Wanted, wanted},
};

/// The parts of a request that the answer depends on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Asked<'a> {
    /// Path and query.
    pub url: &'a str,
    /// The `Range` header.
    pub range: Option<&'a str>,
    /// The `If-Range` header.
    pub if_range: Option<&'a str>,
    /// The `If-None-Match` header.
    pub if_none_match: Option<&'a str>,
    /// The `Accept-Encoding` header.
    pub accept_encoding: Option<&'a str>,
}

/// The body of an answer.
#[derive(Clone, Debug)]
pub enum Body {
    /// A sentence for the reader.
    Text(&'static str),
    /// Bytes of a file.
    File(Arc<Content>, Range<usize>),
    /// A compressed file.
    Gzip(Arc<Content>),
}

impl Body {
    /// The bytes that travel.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::File(content, range) => content.bytes.get(range.clone()).unwrap_or_default(),
            Self::Gzip(content) => content.gzip().unwrap_or_default(),
        }
    }
}

/// Status, headers and body.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The status code.
    pub status: u16,
    /// Names and values, without `Content-Length`.
    pub headers: Vec<(&'static str, String)>,
    /// What follows the headers.
    pub body: Body,
}

impl Answer {
    /// A sentence in plain text.
    #[must_use]
    pub fn text(status: u16, text: &'static str) -> Self {
        let headers = vec![("Content-Type", "text/plain; charset=utf-8".to_owned())];
        Self { status, headers, body: Body::Text(text) }
    }
}

/// Answers a GET or HEAD for a file below `root` (a canonical path), which stands under `prefix`.
pub fn answer(root: &Path, prefix: &str, cache: &Cache, asked: &Asked<'_>) -> Answer {
    let without_query = asked.url.split(['?', '#']).next().unwrap_or_default();
    let Some(mut path) = relative_path(asked.url, prefix).and_then(|relative| inside(root, &relative)) else {
        return if format!("{without_query}/") == prefix {
            moved(prefix)
        } else {
            Answer::text(404, "There is no such file here.\n")
        };
    };
    if path.is_dir() {
        // Without the slash the relative addresses of the page would point beside the folder.
        if !without_query.ends_with('/') {
            return moved(&format!("{without_query}/"));
        }
        path.push("index.html");
    }
    let Ok(content) = cache.read(&path) else {
        return Answer::text(404, "There is no such file here.\n");
    };
    let (media_type, compressible) =
        media_type(path.file_name().and_then(|name| name.to_str()).unwrap_or_default());
    send(content, media_type, compressible, asked)
}

fn send(content: Arc<Content>, media_type: &str, compressible: bool, asked: &Asked<'_>) -> Answer {
    let plain_tag = format!("\"{}\"", content.hash);
    let packed_tag = format!("\"{}-gzip\"", content.hash);
    let length = content.bytes.len();
    // A range counts bytes of the file as it is; a condition that fails asks for the whole new file.
    let range = asked.range.filter(|_| asked.if_range.is_none_or(|tag| tag.trim() == plain_tag));
    let packed =
        compressible && range.is_none() && accepts_gzip(asked.accept_encoding) && content.gzip().is_some();
    let tag = if packed { packed_tag } else { plain_tag };

    let mut headers = vec![("ETag", tag.clone()), ("Cache-Control", "no-cache".to_owned())];
    if compressible {
        headers.push(("Vary", "Accept-Encoding".to_owned()));
    }
    if asked.if_none_match.is_some_and(|tags| names(tags, &tag)) {
        return Answer { status: 304, headers, body: Body::Text("") };
    }
    headers.push(("Content-Type", media_type.to_owned()));
    headers.push(("X-Content-Type-Options", "nosniff".to_owned()));
    headers.push(("Accept-Ranges", "bytes".to_owned()));
    if packed {
        headers.push(("Content-Encoding", "gzip".to_owned()));
        return Answer { status: 200, headers, body: Body::Gzip(content) };
    }
    match wanted(range, length) {
        Wanted::Whole => Answer { status: 200, headers, body: Body::File(content, 0..length) },
        Wanted::Part(part) => {
            headers.push(("Content-Range", format!("bytes {}-{}/{length}", part.start, part.end - 1)));
            Answer { status: 206, headers, body: Body::File(content, part) }
        }
        Wanted::Nothing => {
            let mut refusal = Answer::text(416, "The file is shorter than the range asked for.\n");
            refusal.headers.push(("Content-Range", format!("bytes */{length}")));
            refusal
        }
    }
}

fn moved(to: &str) -> Answer {
    let mut answer = Answer::text(301, "The page is at this address with a slash at its end.\n");
    // A location that begins with two slashes would name another host.
    answer.headers.push(("Location", format!("/{}", to.trim_start_matches('/'))));
    answer
}

/// Whether an `If-None-Match` header names this tag (weak comparison).
fn names(tags: &str, tag: &str) -> bool {
    tags.split(',').map(str::trim).any(|one| one == "*" || one.strip_prefix("W/").unwrap_or(one) == tag)
}

/// Whether an `Accept-Encoding` header allows gzip.
fn accepts_gzip(header: Option<&str>) -> bool {
    header.is_some_and(|value| {
        value.split(',').any(|coding| {
            let mut parts = coding.split(';').map(str::trim);
            let allowed = parts.next().is_some_and(|name| name.eq_ignore_ascii_case("gzip"));
            let refused = parts.any(|part| {
                part.strip_prefix("q=").is_some_and(|weight| weight.parse::<f32>().is_ok_and(|w| w <= 0.0))
            });
            allowed && !refused
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compares_tags_weakly() {
        assert!(names("\"a\", W/\"b\"", "\"b\""));
        assert!(names("*", "\"b\""));
        assert!(!names("\"a\"", "\"b\""));
    }

    #[test]
    fn reads_accepted_encodings() {
        assert!(accepts_gzip(Some("deflate, gzip;q=0.8, br")));
        assert!(!accepts_gzip(Some("gzip;q=0, br")));
        assert!(!accepts_gzip(Some("identity")));
        assert!(!accepts_gzip(None));
    }
}
