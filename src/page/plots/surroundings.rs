//! What a canvas has to follow: its size on the page, and the colours the reader has chosen.

use leptos::prelude::StoredValue;
use leptos::wasm_bindgen::closure::Closure;
use leptos::wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, MediaQueryList, MutationObserver, MutationObserverInit, ResizeObserver};

use super::theme::Theme;

/// The colours in force: `data-theme` on the document where it says `dark` or `light`, else the system's.
#[must_use]
pub fn theme() -> Theme {
    let chosen = document_element().and_then(|root| root.get_attribute("data-theme"));
    Theme::of(match chosen.as_deref() {
        Some("dark") => true,
        Some("light") => false,
        _ => system().is_some_and(|query| query.matches()),
    })
}

fn document_element() -> Option<Element> {
    web_sys::window()?.document()?.document_element()
}

fn system() -> Option<MediaQueryList> {
    web_sys::window()?.match_media("(prefers-color-scheme: dark)").ok()?
}

/// All that is watched; it is let go when the canvas leaves the page.
struct Watch {
    act: Closure<dyn FnMut(JsValue)>,
    size: Option<ResizeObserver>,
    chosen: Option<MutationObserver>,
    system: Option<MediaQueryList>,
}

impl Drop for Watch {
    fn drop(&mut self) {
        if let Some(size) = &self.size {
            size.disconnect();
        }
        if let Some(chosen) = &self.chosen {
            chosen.disconnect();
        }
        if let Some(system) = &self.system {
            let _ = system.remove_event_listener_with_callback("change", self.act.as_ref().unchecked_ref());
        }
    }
}

/// Calls `act` when the element's size, the chosen theme or the system's changes, until the component is gone.
pub fn on_change(element: &Element, act: impl Fn() + 'static) {
    let act = Closure::<dyn FnMut(JsValue)>::new(move |_: JsValue| act());
    let call = act.as_ref().unchecked_ref();
    let size = ResizeObserver::new(call).ok();
    if let Some(size) = &size {
        size.observe(element);
    }
    let chosen = MutationObserver::new(call).ok();
    if let (Some(chosen), Some(root)) = (&chosen, document_element()) {
        let options = MutationObserverInit::new();
        options.set_attributes(true);
        let _ = chosen.observe_with_options(&root, &options);
    }
    let system = system();
    if let Some(system) = &system {
        let _ = system.add_event_listener_with_callback("change", call);
    }
    // Held by the component that called: dropped, and so disconnected, with it.
    StoredValue::new_local(Watch { act, size, chosen, system });
}
