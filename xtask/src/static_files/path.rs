//! From the path of a request to a path below the served folder.

use std::path::{Path, PathBuf};

/// The path below the served folder that a request's URL names, `None` when it names nothing inside it.
///
/// `prefix` is the sub-path that the folder stands under, `/` or `/some/path/`. Whatever could lead out of the
/// folder (`..`, also when percent-encoded, backslashes, drive letters, NUL) is refused and not resolved.
#[must_use]
pub fn relative_path(url: &str, prefix: &str) -> Option<PathBuf> {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let below = path.strip_prefix(prefix)?;
    let mut relative = PathBuf::new();
    for part in below.split('/').filter(|part| !part.is_empty()) {
        let part = decode(part)?;
        if part == "." || part == ".." || part.contains(['/', '\\', ':', '\0']) {
            return None;
        }
        relative.push(part);
    }
    Some(relative)
}

/// The file itself, `None` when there is none or a symbolic link leads out of `root` (a canonical path).
#[must_use]
pub fn inside(root: &Path, relative: &Path) -> Option<PathBuf> {
    root.join(relative).canonicalize().ok().filter(|path| path.starts_with(root))
}

/// Brings a prefix into the form `/`, `/some/path/`.
#[must_use]
pub fn normal_prefix(prefix: &str) -> String {
    match prefix.trim_matches('/') {
        "" => "/".to_owned(),
        inner => format!("/{inner}/"),
    }
}

fn decode(part: &str) -> Option<String> {
    let mut bytes = part.bytes();
    let mut decoded = Vec::with_capacity(part.len());
    while let Some(byte) = bytes.next() {
        if byte == b'%' {
            let high = char::from(bytes.next()?).to_digit(16)?;
            let low = char::from(bytes.next()?).to_digit(16)?;
            decoded.push(u8::try_from(high * 16 + low).ok()?);
        } else {
            decoded.push(byte);
        }
    }
    String::from_utf8(decoded).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_and_drops_the_query() {
        assert_eq!(relative_path("/a%20b/c.js?v=1#x", "/"), Some("a b/c.js".into()));
        assert_eq!(relative_path("/", "/"), Some(PathBuf::new()));
        assert_eq!(relative_path("/some/path/x.js", "/some/path/"), Some("x.js".into()));
    }

    #[test]
    fn refuses_to_leave_the_folder() {
        for url in
            ["/../x", "/a/../../x", "/%2e%2e/x", "/a%2f..%2fx", "/..%5cx", "/c:/x", "/%00", "/%zz", "/%2"]
        {
            assert_eq!(relative_path(url, "/"), None, "{url}");
        }
        assert_eq!(relative_path("/elsewhere/x.js", "/some/path/"), None);
    }

    #[test]
    fn normalises_prefixes() {
        assert_eq!(normal_prefix(""), "/");
        assert_eq!(normal_prefix("/"), "/");
        assert_eq!(normal_prefix("some/path"), "/some/path/");
        assert_eq!(normal_prefix("/some/path/"), "/some/path/");
    }
}
