//! The page's address: its fragment holds what the reader chose, its folder holds the bundled models.

use leptos::prelude::window;
use wasm_bindgen::JsValue;

/// The fragment with its `#`; empty where there is none.
#[must_use]
pub fn fragment() -> String {
    window().location().hash().unwrap_or_default()
}

/// The whole address.
#[must_use]
pub fn whole() -> String {
    window().location().href().unwrap_or_default()
}

/// The page's own folder, ending in `/`: bundled models lie below it, on whatever sub-path the page is served from.
#[must_use]
pub fn base() -> String {
    folder(&whole()).to_owned()
}

/// An address up to the last `/` of its path.
fn folder(address: &str) -> &str {
    let path = &address[..address.find(['?', '#']).unwrap_or(address.len())];
    &path[..path.rfind('/').map_or(path.len(), |slash| slash + 1)]
}

/// Puts a link in place of the present address; the way back stays as it is.
pub fn replace(link: &str) {
    write(link, false);
}

/// Puts a link after the present address, so that going back returns to it.
pub fn push(link: &str) {
    write(link, true);
}

fn write(link: &str, new_entry: bool) {
    let location = window().location();
    if location.hash().is_ok_and(|hash| hash.strip_prefix('#').unwrap_or("") == link) {
        return;
    }
    let path = location.pathname().unwrap_or_default() + &location.search().unwrap_or_default();
    let address = if link.is_empty() { path } else { format!("{path}#{link}") };
    let Ok(history) = window().history() else { return };
    // Browsers refuse when asked too often, and for pages opened from disk. The page then works on without its link.
    let _refused = if new_entry {
        history.push_state_with_url(&JsValue::NULL, "", Some(&address))
    } else {
        history.replace_state_with_url(&JsValue::NULL, "", Some(&address))
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_ends_at_the_path() {
        assert_eq!(folder("https://a.org/b/c/?q=/x#v=1&text=a/b"), "https://a.org/b/c/");
        assert_eq!(folder("https://a.org/b/index.html#/"), "https://a.org/b/");
        assert_eq!(folder("http://127.0.0.1:8080/"), "http://127.0.0.1:8080/");
    }
}
