//! The page's head: its name, the labs, the link and the colours.

use std::time::Duration;

use leptos::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};

use super::{theme::Theme, words};
use crate::page::{address, store::Store};

/// How long the button says that the link was copied.
const SAID: Duration = Duration::from_secs(2);

/// What became of copying the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Copying {
    Not,
    Done,
    /// The browser keeps the clipboard from the page: the reader copies by hand.
    ByHand,
}

/// Name, labs, link, colours.
#[component]
pub fn Header() -> impl IntoView {
    let copying = RwSignal::new(Copying::Not);
    view! {
        <header class="head">
            <a class="skip" href="#result" on:click=move |event| skip(&event)>{words::SKIP}</a>
            <p class="name">{words::NAME}</p>
            <nav aria-label=words::LABS>
                <a href="#" aria-current="page" on:click=|event| event.prevent_default()>{words::MODELS}</a>
            </nav>
            <div class="tools">
                <CopyLink copying />
                <ThemeButton />
            </div>
            <Show when=move || copying.get() == Copying::ByHand>
                <label class="by-hand">
                    {words::COPY_BY_HAND}
                    <input type="text" readonly prop:value=address::whole on:focus=|event| {
                        event_target::<web_sys::HtmlInputElement>(&event).select();
                    } />
                </label>
            </Show>
        </header>
    }
}

/// Goes to the result without leaving a trace in the address, which belongs to the reader's choices.
fn skip(event: &web_sys::MouseEvent) {
    event.prevent_default();
    if let Some(result) = document().get_element_by_id("result") {
        result.scroll_into_view();
        if let Ok(result) = wasm_bindgen::JsCast::dyn_into::<web_sys::HtmlElement>(result) {
            let _focused = result.focus();
        }
    }
}

#[component]
fn CopyLink(copying: RwSignal<Copying>) -> impl IntoView {
    let store = expect_context::<Store>();
    let copy = move |_| {
        store.settle();
        let clipboard = window().navigator().clipboard();
        if clipboard.is_undefined() {
            return copying.set(Copying::ByHand);
        }
        let written = JsFuture::from(clipboard.write_text(&address::whole()));
        spawn_local(async move {
            if written.await.is_err() {
                return copying.set(Copying::ByHand);
            }
            copying.set(Copying::Done);
            set_timeout(move || copying.set(Copying::Not), SAID);
        });
    };
    let done = move || copying.get() == Copying::Done;
    view! {
        <button type="button" class="quiet" data-action="copy-link" on:click=copy>
            {move || if done() { words::COPIED } else { words::COPY }}
        </button>
        <span class="unseen" role="status">{move || done().then_some(words::COPIED)}</span>
    }
}

#[component]
fn ThemeButton() -> impl IntoView {
    let theme = RwSignal::new(Theme::remembered());
    Effect::new(move || theme.get().apply());
    view! {
        <button
            type="button"
            class="quiet sign"
            data-action="theme"
            aria-label=move || words::theme(theme.get()).1
            title=move || words::theme(theme.get()).1
            on:click=move |_| theme.update(|theme| *theme = theme.next())
        >
            <span aria-hidden="true">{move || words::theme(theme.get()).0}</span>
        </button>
    }
}
