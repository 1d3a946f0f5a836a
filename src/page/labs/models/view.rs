//! The lab as it stands on the page: verdict, main picture with tokens, small pictures.

use std::sync::Arc;

use leptos::prelude::*;

use super::{numbers::mean, pictures, token_panel::TokenPanel, verdict::verdict, words};
use crate::{
    page::{
        parts::{
            figure::{Figure, TableMaker},
            formula, words as frame,
        },
        plots::{Plot, picture::Picture, table},
        store::{Change, Store},
    },
    report::Report,
};

/// Height of the small pictures, in CSS pixels.
const SMALL: f64 = 240.0;
/// Height of the spectrum.
const PLANE: f64 = 380.0;

/// A report that is on show, whatever came before it.
type Shown = Signal<Arc<Report>>;

/// The lab.
#[component]
pub fn ModelsLab() -> impl IntoView {
    let store = expect_context::<Store>();
    let any = Memo::new(move |_| store.report.with(Option::is_some));
    let busy = move || store.work.get().is_busy();
    view! {
        <main id="result" tabindex="-1" class="lab" class:stale=busy data-lab="models" aria-busy=move || busy().to_string()>
            <h1 class="unseen">{words::TITLE}</h1>
            {move || {
                // The pictures are built once; later reports flow into them.
                let first = if any.get() { store.report.get_untracked() } else { None };
                match first {
                    Some(first) => {
                        let report = Signal::derive(move || store.report.get().unwrap_or_else(|| first.clone()));
                        view! { <Result report /> }.into_any()
                    }
                    None => view! {
                        <p class="waiting">{move || if busy() { words::WAITING } else { words::NOTHING_YET }}</p>
                    }.into_any(),
                }
            }}
        </main>
    }
}

#[component]
fn Result(report: Shown) -> impl IntoView {
    view! {
        <Verdict report />
        <Notes report />
        <div class="wide">
            <MainPicture report />
            <TokenPanel report />
        </div>
        <div class="small">
            <Consensus report />
            <Gaps report />
            <Steps report />
        </div>
        <Spectrum report />
    }
}

#[component]
fn Verdict(report: Shown) -> impl IntoView {
    let found = Memo::new(move |_| verdict(&report.read()));
    let line = move |name: &'static str, text: fn(&super::verdict::Verdict) -> &String| {
        move || {
            let text = found.with(|found| text(found).clone());
            (!text.is_empty()).then(|| view! { <p><b>{name}": "</b>{text}</p> })
        }
    };
    view! {
        <section class="verdict" data-part="verdict">
            <h2>{move || found.with(|found| found.headline.clone())}</h2>
            {line(words::EXPECTED, |found| &found.expected)}
            {line(words::MEASURED, |found| &found.measured)}
        </section>
    }
}

#[component]
fn Notes(report: Shown) -> impl IntoView {
    let notes = Memo::new(move |_| {
        let report = report.read();
        report.notes.iter().cloned().chain(words::doubt(&report)).collect::<Vec<_>>()
    });
    view! {
        <div class="notes" role="status" data-part="notes">
            {move || {
                let notes = notes.get();
                (!notes.is_empty()).then(|| view! {
                    <ul>{notes.into_iter().map(|note| view! { <li>{note}</li> }).collect_view()}</ul>
                })
            }}
        </div>
    }
}

#[component]
fn MainPicture(report: Shown) -> impl IntoView {
    let store = expect_context::<Store>();
    let picked = Memo::new(move |_| store.choices.with(|choices| choices.picked.clone()));
    let layer = shown_layer(report);
    let picture = Memo::new(move |_| {
        pointing_at(pictures::alignment(&report.read(), &picked.read()), cursor(report, layer))
    });
    let description = Signal::derive(move || {
        let report = report.read();
        let first = report.layers.first().map_or(f64::NAN, |layer| mean(&layer.align_before));
        let last = report.layers.last().map_or(f64::NAN, |layer| mean(&layer.align_after));
        words::alignment_description(&report, first, last)
    });
    let height = if narrow() { 360.0 } else { 440.0 };
    let numbers: TableMaker = Arc::new(move || pictures::alignment_table(&report.read()));
    view! {
        <Figure name="alignment" title=words::ALIGNMENT formula=formula::ALIGNMENT table=numbers
            caption=Signal::derive(move || words::alignment_caption(&report.read()))>
            <Drawing picture empty=words::NOT_NUMBERS>
                <Plot picture highlight=store.highlight picked height description name="alignment"
                    on_pick=move |at| store.edit(Change::Continuous, |choices| choices.toggle_pick(at))
                    on_x=Callback::new(move |at| choose_layer(store, report, at)) />
            </Drawing>
        </Figure>
    }
}

#[component]
fn Consensus(report: Shown) -> impl IntoView {
    let picture = Memo::new(move |_| pictures::consensus(&report.read()));
    view! {
        <Figure name="consensus" title=words::CONSENSUS formula=formula::CONSENSUS table=table_of(picture)
            caption=words::CONSENSUS_CAPTION.to_owned()>
            <SmallPlot picture report name="consensus" title=words::CONSENSUS empty=words::NO_PAIRS />
        </Figure>
    }
}

#[component]
fn Gaps(report: Shown) -> impl IntoView {
    let layer = shown_layer(report);
    let picture = Memo::new(move |_| pointing_at(pictures::gaps(&report.read()), cursor(report, layer)));
    view! {
        <Figure name="gaps" title=words::GAPS formula=formula::GAPS table=table_of(picture)
            caption=Signal::derive(move || words::gaps_caption(&report.read()))>
            <SmallPlot picture report name="gaps" title=words::GAPS empty=words::NO_GAP />
        </Figure>
    }
}

#[component]
fn Steps(report: Shown) -> impl IntoView {
    let layer = shown_layer(report);
    let picture = Memo::new(move |_| pointing_at(pictures::steps(&report.read()), cursor(report, layer)));
    view! {
        <Figure name="steps" title=words::STEPS formula=formula::STEPS table=table_of(picture)
            caption=words::STEPS_CAPTION.to_owned()>
            <SmallPlot picture report name="steps" title=words::STEPS empty=words::NOT_NUMBERS />
        </Figure>
    }
}

#[component]
fn Spectrum(report: Shown) -> impl IntoView {
    let layer = shown_layer(report);
    let picture = Memo::new(move |_| {
        report
            .read()
            .layers
            .get(layer.get())
            .map_or_else(|| Picture::Plane(crate::page::plots::picture::Plane::default()), pictures::spectrum)
    });
    let caption = Signal::derive(move || {
        report.read().layers.get(layer.get()).map(words::spectrum_caption).unwrap_or_default()
    });
    let numbers: TableMaker = Arc::new(move || {
        report.read().layers.get(layer.get()).map(pictures::spectrum_table).unwrap_or_default()
    });
    view! {
        <div class="beside">
            <Figure name="spectrum" title=words::SPECTRUM formula=formula::SPECTRUM table=numbers caption>
                <LayerChooser report layer />
                <Drawing picture empty=words::NO_EIGENVALUES>
                    <Plot picture highlight=RwSignal::new(None) picked=Signal::derive(Vec::new) height=PLANE
                        description=caption name="spectrum" on_pick=|_| () />
                </Drawing>
            </Figure>
        </div>
    }
}

/// Which layer's spectrum is on show; a model with one shared layer leaves nothing to choose.
#[component]
fn LayerChooser(report: Shown, layer: Memo<usize>) -> impl IntoView {
    let store = expect_context::<Store>();
    let most = move || report.read().layers.len().saturating_sub(1);
    let choice = move || !report.read().model.shared && most() > 0;
    view! {
        <Show when=choice>
            <label class="layer-chooser">
                <span class="label">{words::LAYER}</span>
                <input type="range" name="layer" min="0" max=move || most().to_string()
                    prop:value=move || layer.get().to_string()
                    on:input=move |event| {
                        if let Ok(layer) = event_target_value(&event).parse() {
                            store.edit(Change::Continuous, |choices| choices.layer = layer);
                        }
                    } />
                <output>{move || layer.get()}</output>
            </label>
        </Show>
    }
}

/// A small picture without tokens of its own; a click on a layer chooses it.
#[component]
fn SmallPlot(
    picture: Memo<Picture>,
    report: Shown,
    name: &'static str,
    title: &'static str,
    empty: &'static str,
) -> impl IntoView {
    let store = expect_context::<Store>();
    let description =
        Signal::derive(move || picture.with(|picture| words::lines_description(title, picture)));
    view! {
        <Drawing picture empty>
            <Plot picture highlight=RwSignal::new(None) picked=Signal::derive(Vec::new) height=SMALL description
                name on_pick=|_| () on_x=Callback::new(move |at| choose_layer(store, report, at)) />
        </Drawing>
    }
}

/// The picture, or a sentence where it would be empty.
#[component]
fn Drawing(picture: Memo<Picture>, empty: &'static str, children: ChildrenFn) -> impl IntoView {
    view! {
        <Show
            when=move || picture.with(pictures::has_values)
            fallback=move || view! { <p class="nothing">{frame::NOTHING_TO_DRAW}{empty}</p> }
        >
            {children()}
        </Show>
    }
}

fn table_of(picture: Memo<Picture>) -> TableMaker {
    Arc::new(move || picture.with(table))
}

/// The chosen layer, or the last one where the report has fewer.
fn shown_layer(report: Shown) -> Memo<usize> {
    let store = expect_context::<Store>();
    Memo::new(move |_| {
        let last = report.read().layers.len().saturating_sub(1);
        store.choices.with(|choices| choices.layer).min(last)
    })
}

/// Where layers differ, the chosen one is pointed out in every picture.
fn cursor(report: Shown, layer: Memo<usize>) -> Option<f64> {
    (!report.read().model.shared).then(|| layer.get() as f64)
}

fn pointing_at(mut picture: Picture, cursor: Option<f64>) -> Picture {
    if let Picture::Lines(lines) = &mut picture {
        lines.cursor = cursor;
    }
    picture
}

fn choose_layer(store: Store, report: Shown, at: f64) {
    let last = report.with_untracked(|report| report.layers.len()).saturating_sub(1) as f64;
    if at.is_finite() && !report.with_untracked(|report| report.model.shared) {
        let layer = at.round().clamp(0.0, last) as usize;
        store.edit(Change::Continuous, |choices| choices.layer = layer);
    }
}

/// Whether the window is a phone's.
fn narrow() -> bool {
    window().inner_width().ok().and_then(|width| width.as_f64()).is_some_and(|width| width < 700.0)
}
