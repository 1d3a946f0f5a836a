//! The text that is analysed: it runs as one types.

use leptos::prelude::*;

use super::words;
use crate::{
    page::store::{Change, Store},
    settings::MAX_TEXT_CHARACTERS,
};

/// One line that grows with its text. Enter runs at once; Shift and Enter begin a new line.
#[component]
pub fn TextField() -> impl IntoView {
    let store = expect_context::<Store>();
    let text = Memo::new(move |_| store.choices.with(|choices| choices.text.clone()));
    view! {
        <label class="field text-field">
            <span class="label">{words::TEXT}</span>
            <textarea
                name="text"
                rows="1"
                spellcheck="false"
                autocomplete="off"
                maxlength=MAX_TEXT_CHARACTERS.to_string()
                prop:value=move || text.get()
                on:input=move |event| {
                    let text = event_target_value(&event);
                    store.edit(Change::Continuous, |choices| choices.set_text(text));
                }
                on:keydown=move |event| {
                    if event.key() == "Enter" && !event.shift_key() && !event.is_composing() {
                        event.prevent_default();
                        store.run_now();
                    }
                }
            ></textarea>
        </label>
    }
}
