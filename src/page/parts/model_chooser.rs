//! Which model: one of the page's own, or one of the reader's disk.

use leptos::prelude::*;

use super::{files, words};
use crate::{
    page::{
        state::BUNDLED,
        store::{Change, Store},
    },
    protocol::ModelSource,
};

/// Value of the option that opens the reader's own files.
const DISK: &str = "disk";
/// Value of the option that stands for files that were opened.
const OPENED: &str = "opened";

/// The list of models. `disk` opens the panel with the ways to a model of one's own.
#[component]
pub fn ModelChooser(disk: RwSignal<bool>) -> impl IntoView {
    let store = expect_context::<Store>();
    let model = Memo::new(move |_| store.choices.with(|choices| choices.model.clone()));
    let local = move || match model.get() {
        ModelSource::Local(name) => Some(name),
        ModelSource::Bundled(_) => None,
    };
    let chosen = move || match model.get() {
        ModelSource::Bundled(name) => name,
        ModelSource::Local(_) => OPENED.to_owned(),
    };
    let change = move |event| {
        let value = event_target_value(&event);
        if value == DISK {
            disk.set(true);
            // The list goes back to what runs: no file is chosen yet.
            event_target::<web_sys::HtmlSelectElement>(&event).set_value(&chosen());
        } else if value != OPENED {
            disk.set(false);
            store.edit(Change::Discrete, |choices| choices.set_model(ModelSource::Bundled(value)));
        }
    };
    view! {
        <label class="field model-field">
            <span class="label">{words::MODEL}</span>
            <select name="model" on:change=change>
                {BUNDLED
                    .iter()
                    .map(|model| {
                        let selected = move || chosen() == model.name;
                        view! { <option value=model.name title=model.about prop:selected=selected>{model.name}</option> }
                    })
                    .collect_view()}
                {move || {
                    local().map(|name| view! { <option value=OPENED prop:selected=true>{name}</option> })
                }}
                <option value=DISK>{words::FROM_DISK}</option>
            </select>
        </label>
    }
}

/// The ways to a model of one's own.
#[component]
pub fn DiskPanel(open: RwSignal<bool>) -> impl IntoView {
    let store = expect_context::<Store>();
    let take = move |event: web_sys::Event| {
        let input = event_target::<web_sys::HtmlInputElement>(&event);
        if files::open(store, files::of_list(input.files())) {
            open.set(false);
        }
        // The same files can be chosen again after they were mended.
        input.set_value("");
    };
    view! {
        <section class="panel" aria-label=words::DISK_TITLE hidden=move || !open.get()>
            <p class="prose">{words::DISK_HOW}</p>
            <div class="row">
                <label class="button">
                    {words::CHOOSE_FILES}
                    <input class="unseen" type="file" multiple name="files" accept=".json,.safetensors" on:change=take />
                </label>
                <label class="button">
                    {words::CHOOSE_FOLDER}
                    <input class="unseen" type="file" name="folder" prop:webkitdirectory=true on:change=take />
                </label>
                <button type="button" class="quiet" on:click=move |_| open.set(false)>{words::CLOSE}</button>
            </div>
        </section>
    }
}
