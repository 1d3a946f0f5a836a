//! How the reader names a model elsewhere: a repository of the hub, or a link to a folder on any host.

use std::fmt;

use super::SourceError;

/// The hub's own address.
pub const HUB: &str = "https://huggingface.co";

/// A secret that proves to the hub who asks. It is never shown: not by `Debug` either.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// Takes a token as the reader gave it; `None` where nothing but white space is there.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        // Anything else cannot stand in a header, and would only be refused with a sentence that shows it.
        let fits = !text.is_empty() && text.chars().all(|c| c.is_ascii_graphic());
        fits.then(|| Self(text.to_owned()))
    }

    /// The value of the header `Authorization`.
    // The page has no requests of its own yet.
    #[cfg_attr(not(feature = "command"), allow(dead_code))]
    pub(super) fn header(&self) -> String {
        format!("Bearer {}", self.0)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(hidden)")
    }
}

/// Where a model's files are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// What the reader calls it: `hub:owner/name`, `hub:owner/name@revision` or the link.
    name: String,
    /// In front of a file's name; ends in `/`.
    folder: String,
    /// The hub's address with a `/` behind it; `None` for any other host.
    hub: Option<String>,
}

impl Address {
    /// True where `text` is meant as an address and not as a folder of the disk.
    #[must_use]
    pub fn is_meant(text: &str) -> bool {
        text.starts_with("hub:") || text.contains("://")
    }

    /// Reads `hub:owner/name`, `hub:owner/name@revision`, a link to the repository's page on the hub at `hub`
    /// (such as [`HUB`]), or a link to a folder or to one of its files on any host.
    ///
    /// # Errors
    /// [`SourceError::Address`] where it is none of these.
    pub fn parse(text: &str, hub: &str) -> Result<Self, SourceError> {
        let hub = hub.trim_end_matches('/');
        let text = text.trim();
        let wrong = |reason| SourceError::Address { name: text.to_owned(), reason };
        if let Some(rest) = text.strip_prefix("hub:") {
            let (repository, revision) = rest.split_once('@').unwrap_or((rest, "main"));
            return Self::of_hub(repository, revision, hub).ok_or_else(|| {
                wrong("a repository is an owner and a name of letters, digits, dots and hyphens")
            });
        }
        let link = text.split(['?', '#']).next().unwrap_or_default();
        let (scheme, rest) = link.split_once("://").ok_or_else(|| wrong("it has no https://"))?;
        if !matches!(scheme, "https" | "http") {
            return Err(wrong("only https:// and http:// links are read"));
        }
        let host = rest.split('/').next().unwrap_or_default();
        if host.is_empty() || host.contains('@') {
            return Err(wrong("a link holds a host and neither name nor password"));
        }
        if !rest.chars().all(|c| c.is_ascii_graphic() && !matches!(c, '"' | '<' | '>' | '\\' | '^' | '`')) {
            return Err(wrong("a link has no spaces, and other signs are written as %20"));
        }
        if let Some(path) = link.strip_prefix(hub).and_then(|path| path.strip_prefix('/')) {
            let parts: Vec<&str> = path.trim_end_matches('/').split('/').collect();
            let address = match parts.as_slice() {
                [owner, name] => Self::of_hub(&format!("{owner}/{name}"), "main", hub),
                [owner, name, "tree" | "blob" | "resolve", revision, ..] => {
                    Self::of_hub(&format!("{owner}/{name}"), revision, hub)
                }
                _ => None,
            };
            return address.ok_or_else(|| wrong("a link to the hub leads to a repository, /owner/name"));
        }
        let last = link.rsplit('/').next().unwrap_or_default();
        let ending = last.rsplit_once('.').map(|(_, ending)| ending);
        let is_file = rest.contains('/') && matches!(ending, Some("json" | "safetensors"));
        let folder = if is_file { link[..link.len() - last.len()].to_owned() } else { with_slash(link) };
        Ok(Self { name: folder.clone(), folder, hub: None })
    }

    fn of_hub(repository: &str, revision: &str, hub: &str) -> Option<Self> {
        let plain = |part: &str| {
            !part.is_empty()
                && !part.starts_with('.')
                && part.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
        };
        let (owner, name) = repository.split_once('/')?;
        if ![owner, name, revision].into_iter().all(plain) {
            return None;
        }
        let at = if revision == "main" { String::new() } else { format!("@{revision}") };
        Some(Self {
            name: format!("hub:{owner}/{name}{at}"),
            folder: format!("{hub}/{owner}/{name}/resolve/{revision}/"),
            hub: Some(format!("{hub}/")),
        })
    }

    /// What the reader calls it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// True where `url` is of the hub that this repository is on: the only place that a token is sent to.
    #[must_use]
    pub fn takes_token(&self, url: &str) -> bool {
        self.hub.as_ref().is_some_and(|hub| url.starts_with(hub))
    }

    /// The folder's address, ending in `/`; the store keeps ranges under it.
    #[must_use]
    pub fn folder(&self) -> &str {
        &self.folder
    }

    /// The address of `file`.
    #[must_use]
    pub fn of(&self, file: &str) -> String {
        format!("{}{file}", self.folder)
    }
}

fn with_slash(link: &str) -> String {
    format!("{}/", link.trim_end_matches('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(text: &str) -> Option<String> {
        Address::parse(text, HUB).ok().map(|address| address.folder().to_owned())
    }

    #[test]
    fn names_and_links_lead_to_folders() {
        let albert = "https://huggingface.co/albert/albert-base-v2/resolve/main/";
        for text in [
            "hub:albert/albert-base-v2",
            "https://huggingface.co/albert/albert-base-v2",
            "https://huggingface.co/albert/albert-base-v2/tree/main?x=1",
            "https://huggingface.co/albert/albert-base-v2/resolve/main/config.json",
        ] {
            assert_eq!(folder(text).as_deref(), Some(albert), "{text}");
        }
        assert_eq!(folder("hub:a/b@v1.0").as_deref(), Some("https://huggingface.co/a/b/resolve/v1.0/"));
        for text in ["https://example.org/m", "https://example.org/m/", "https://example.org/m/config.json#a"]
        {
            assert_eq!(folder(text).as_deref(), Some("https://example.org/m/"), "{text}");
        }
        assert_eq!(folder("https://example.org").as_deref(), Some("https://example.org/"));
        assert!(Address::is_meant("hub:x") && Address::is_meant("ftp://x") && !Address::is_meant("C:/x"));
    }

    #[test]
    fn foolish_names_are_refused() {
        for text in [
            "hub:",
            "hub:a",
            "hub:a/b/c",
            "hub:../b",
            "hub:a/b@",
            "hub:a/b@../x",
            "ftp://a/b",
            "https://",
            "https://user:secret@host/",
            "https://host/a b",
            "https://huggingface.co/a",
            "hub:a/b?c",
        ] {
            assert_eq!(folder(text), None, "{text}");
        }
    }

    #[test]
    fn a_token_goes_to_the_hub_only() {
        let address = Address::parse("hub:a/b", HUB).unwrap();
        assert!(address.takes_token(&address.of("config.json")));
        assert!(address.takes_token("https://huggingface.co/api/resolve-cache/x"));
        for url in
            ["https://cdn.example.org/x", "https://huggingface.co.example.org/x", "http://huggingface.co/x"]
        {
            assert!(!address.takes_token(url), "{url}");
        }
        let link = Address::parse("https://example.org/m/", HUB).unwrap();
        assert!(!link.takes_token("https://example.org/m/config.json"));
    }

    #[test]
    fn a_token_is_never_shown() {
        let token = Token::new(" hf_secret\n").unwrap();
        assert_eq!(format!("{token:?}"), "Token(hidden)");
        assert_eq!(token.header(), "Bearer hf_secret");
        assert_eq!((Token::new(" "), Token::new("a\nb")), (None, None));
    }
}
