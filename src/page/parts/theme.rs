//! Light, dark, or as the system has it. This is the reader's own matter: it stays in the browser and out of the link.

use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};

/// Where the browser keeps the choice.
const KEY: &str = "eigentilt.theme";

/// The page's colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// As the system has it.
    #[default]
    System,
    /// Ink on paper.
    Light,
    /// Paper on ink.
    Dark,
}

impl Theme {
    /// The next one as the button goes round.
    #[must_use]
    pub const fn next(self) -> Self {
        match self {
            Self::System => Self::Light,
            Self::Light => Self::Dark,
            Self::Dark => Self::System,
        }
    }

    const fn word(self) -> Option<&'static str> {
        match self {
            Self::System => None,
            Self::Light => Some("light"),
            Self::Dark => Some("dark"),
        }
    }

    /// The choice of an earlier visit.
    #[must_use]
    pub fn remembered() -> Self {
        match call("getItem", &[KEY]).and_then(|value| value.as_string()).as_deref() {
            Some("light") => Self::Light,
            Some("dark") => Self::Dark,
            _ => Self::System,
        }
    }

    /// Puts the choice on the document, where the styles look for it, and remembers it.
    pub fn apply(self) {
        let Some(root) = document().document_element() else { return };
        let _kept = if let Some(word) = self.word() {
            let _set = root.set_attribute("data-theme", word);
            call("setItem", &[KEY, word])
        } else {
            let _removed = root.remove_attribute("data-theme");
            call("removeItem", &[KEY])
        };
    }
}

/// Calls the browser's storage; `None` where it is shut off, as in some private windows.
fn call(method: &str, arguments: &[&str]) -> Option<JsValue> {
    let storage = js_sys::Reflect::get(&window(), &JsValue::from_str("localStorage")).ok()?;
    let function = js_sys::Reflect::get(&storage, &JsValue::from_str(method)).ok()?;
    let function: js_sys::Function = function.dyn_into().ok()?;
    let arguments: js_sys::Array = arguments.iter().map(|argument| JsValue::from_str(argument)).collect();
    function.apply(&storage, &arguments).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_button_goes_round() {
        assert_eq!(Theme::System.next().next().next(), Theme::System);
    }
}
