//! How the analysis is run: a panel beneath the sticky line, a sheet on a phone.

use leptos::prelude::*;

use super::words;
use crate::{
    page::{
        state::{Choices, bundled},
        store::{Change, Store},
    },
    protocol::ModelSource,
    settings::{MAX_EIGENVALUES, MAX_STEPS, Order, Radius},
};

/// All settings.
#[component]
pub fn SettingsPanel(open: RwSignal<bool>) -> impl IntoView {
    let store = expect_context::<Store>();
    let settings = Memo::new(move |_| store.choices.with(|choices| choices.settings));
    let radius = move |value: Radius, label: &'static str| {
        view! {
            <label class="choice">
                <input type="radio" name="radius" value=value.to_string()
                    prop:checked=move || settings.get().radius == value
                    on:change=move |_| store.edit(Change::Discrete, |choices| choices.settings.radius = value) />
                {label}
            </label>
        }
    };
    let order = move |value: Order, label: &'static str| {
        view! {
            <label class="choice">
                <input type="radio" name="order" value=value.to_string()
                    prop:checked=move || settings.get().order == value
                    on:change=move |_| store.edit(Change::Discrete, |choices| choices.settings.order = value) />
                {label}
            </label>
        }
    };
    let close = move |event: web_sys::KeyboardEvent| {
        if event.key() == "Escape" {
            open.set(false);
        }
    };
    view! {
        <section id="settings" class="panel sheet" aria-label=words::SETTINGS hidden=move || !open.get() on:keydown=close>
            <div class="settings">
                <fieldset>
                    <legend>{words::ORDER}</legend>
                    {order(Order::Shifted, words::ORDER_SHIFTED)}
                    {order(Order::Real, words::ORDER_REAL)}
                    {order(Order::Modulus, words::ORDER_MODULUS)}
                </fieldset>
                <fieldset>
                    <legend>{words::RADIUS}</legend>
                    {radius(Radius::One, words::RADIUS_ONE)}
                    {radius(Radius::SqrtD, words::RADIUS_ROOT)}
                </fieldset>
                <fieldset>
                    <legend>{words::BIASES}</legend>
                    <label class="choice">
                        <input type="checkbox" name="biases" prop:checked=move || settings.get().biases
                            on:change=move |event| {
                                let on = event_target_checked(&event);
                                store.edit(Change::Discrete, |choices| choices.settings.biases = on);
                            } />
                        {words::BIASES_ON}
                    </label>
                </fieldset>
                <div class="stack">
                    <Steps />
                    <SliderField
                        name="eigenvalues"
                        label=words::EIGENVALUES
                        most=MAX_EIGENVALUES
                        value=Signal::derive(move || settings.get().eigenvalues)
                        on_change=move |value| {
                            store.edit(Change::Continuous, |choices| choices.settings.eigenvalues = value);
                        }
                    />
                </div>
            </div>
            <button type="button" class="sheet-only" on:click=move |_| open.set(false)>{words::DONE}</button>
        </section>
    }
}

/// Number of steps: beyond the model's depth only where one layer is shared.
#[component]
fn Steps() -> impl IntoView {
    let store = expect_context::<Store>();
    // Depth, and whether it can be passed: of the model on show, or as the page knows its own models.
    let shape = Memo::new(move |_| store.choices.with(|choices| shape(choices, store)));
    let steps = Memo::new(move |_| store.choices.with(|choices| choices.settings.steps));
    let most = Signal::derive(move || match shape.get() {
        Some((depth, false)) => depth.clamp(1, MAX_STEPS),
        _ => MAX_STEPS,
    });
    let value = Signal::derive(move || {
        steps.get().or_else(|| shape.get().map(|(depth, _)| depth)).unwrap_or(1).min(most.get())
    });
    view! {
        <div>
            <SliderField
                name="steps"
                label=words::STEPS
                most
                value
                on_change=move |value| {
                    let own = shape.get_untracked().is_some_and(|(depth, _)| depth == value);
                    let steps = (!own).then_some(value);
                    store.edit(Change::Continuous, |choices| choices.settings.steps = steps);
                }
            />
            <Show when=move || steps.get().is_some()>
                <button type="button" class="quiet" data-action="own-depth" on:click=move |_| {
                    store.edit(Change::Discrete, |choices| choices.settings.steps = None);
                }>{words::OWN_DEPTH}</button>
            </Show>
        </div>
    }
}

/// Depth of the chosen model and whether its one layer is shared, where that is known.
fn shape(choices: &Choices, store: Store) -> Option<(usize, bool)> {
    match &choices.model {
        ModelSource::Bundled(name) => bundled(name).map(|model| (model.depth, model.shared)),
        ModelSource::Local(name) => store.report.with(|report| {
            let model = &report.as_ref()?.model;
            (model.name == *name).then_some((model.depth, model.shared))
        }),
    }
}

/// A whole number by slider or by digits.
#[component]
fn SliderField(
    name: &'static str,
    label: &'static str,
    #[prop(into)] most: Signal<usize>,
    value: Signal<usize>,
    #[prop(into)] on_change: Callback<usize>,
) -> impl IntoView {
    let take = move |event| {
        if let Ok(number) = event_target_value(&event).parse::<usize>()
            && (1..=most.get_untracked()).contains(&number)
        {
            on_change.run(number);
        }
    };
    view! {
        <fieldset class="slider">
            <legend>{label}</legend>
            <input type="range" name=name aria-label=label min="1" max=move || most.get().to_string()
                prop:value=move || value.get().to_string() on:input=take />
            <input type="number" name=format!("{name}-number") aria-label=label min="1"
                max=move || most.get().to_string() prop:value=move || value.get().to_string() on:input=take />
        </fieldset>
    }
}
