//! The page as a whole.

use leptos::prelude::*;

use super::{
    labs::models::{ModelsLab, words::summary},
    parts::{
        files::DropSurface,
        header::Header,
        model_chooser::{DiskPanel, ModelChooser},
        settings_panel::SettingsPanel,
        status::{Complaints, ProblemBanner, StatusLine},
        text_field::TextField,
        words,
    },
    store::Store,
};

/// Everything on the page.
#[component]
pub fn App() -> impl IntoView {
    let store = Store::start();
    provide_context(store);
    let settings = RwSignal::new(false);
    let disk = RwSignal::new(false);
    let about = Signal::derive(move || {
        store.report.with(|report| report.as_ref().map(|report| summary(report)).unwrap_or_default())
    });
    view! {
        <Header />
        <section class="bar-line" aria-label=words::ASKED>
            <div class="controls">
                <ModelChooser disk />
                <TextField />
                <button type="button" class="settings-button" aria-controls="settings"
                    aria-expanded=move || settings.get().to_string()
                    on:click=move |_| settings.update(|open| *open = !*open)
                >
                    {words::SETTINGS}
                </button>
            </div>
            <DiskPanel open=disk />
            <SettingsPanel open=settings />
            <StatusLine summary=about />
        </section>
        <ProblemBanner />
        <Complaints />
        <ModelsLab />
        <DropSurface />
    }
}

/// Puts the page into the document, in place of what stood there while it loaded.
pub fn start() {
    console_error_panic_hook::set_once();
    if let Some(skeleton) = document().get_element_by_id("skeleton") {
        skeleton.remove();
    }
    mount_to_body(App);
}
