//! Where the command finds a model: a folder, a repository of the hub, or a link.
//!
//! The environment says the rest: `EIGENTILT_HUB` is the hub's address where it is another one, `EIGENTILT_TOKEN`
//! the token for gated repositories, and `XDG_CACHE_HOME` or `HOME` where fetched ranges are kept.

use std::{
    env,
    path::{Path, PathBuf},
};

use crate::source::{
    RemoteOptions, Source, SourceError,
    address::{Address, HUB, Token},
};

/// The model at `place`, as the command line has it.
///
/// # Errors
/// [`SourceError::Address`] where it is meant as an address and is none.
pub(super) fn source(place: &Path) -> Result<Source, SourceError> {
    let Some(text) = place.to_str().filter(|text| Address::is_meant(text)) else {
        return Ok(Source::folder(place));
    };
    let hub = env::var("EIGENTILT_HUB").ok().filter(|hub| !hub.is_empty());
    let address = Address::parse(text, hub.as_deref().unwrap_or(HUB))?;
    let token = env::var("EIGENTILT_TOKEN").ok().and_then(|text| Token::new(&text));
    Ok(Source::remote(address, RemoteOptions { token, store: store(), ..RemoteOptions::default() }))
}

/// The user's folder for what can be fetched again; `None` where the system names none.
fn store() -> Option<PathBuf> {
    let folder = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = folder("XDG_CACHE_HOME").or_else(|| Some(folder("HOME")?.join(".cache")))?;
    Some(cache.join("eigentilt").join("store"))
}
