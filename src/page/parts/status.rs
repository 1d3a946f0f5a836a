//! What the page is doing, what went wrong, and what the link asked for in vain.

use leptos::prelude::*;

use super::words;
use crate::page::store::{Store, Work};

/// One line that says how far the work is, or what the result is about. It keeps its height in either case.
#[component]
pub fn StatusLine(
    /// What the last report is about, shown while nothing is done.
    #[prop(into)]
    summary: Signal<String>,
) -> impl IntoView {
    let store = expect_context::<Store>();
    let busy = move || store.work.get().is_busy();
    let words = move || match store.work.get() {
        Work::Idle => summary.get(),
        Work::Stopped => words::STOPPED.to_owned(),
        Work::Busy(None) => words::STARTING.to_owned(),
        Work::Busy(Some(progress)) => progress.sentence(),
    };
    let share = move || match store.work.get() {
        Work::Busy(Some(progress)) if progress.of > 0 => {
            Some((progress.done as f64 / progress.of as f64).clamp(0.0, 1.0))
        }
        _ => None,
    };
    view! {
        <div class="status" class:busy=busy>
            <p role="status">{words}</p>
            <Show when=busy>
                <button type="button" class="quiet" data-action="cancel" on:click=move |_| store.cancel()>
                    {words::CANCEL}
                </button>
            </Show>
            <span
                class="bar"
                class:unknown=move || share().is_none()
                style:--share=move || share().unwrap_or(1.0).to_string()
                aria-hidden="true"
            ></span>
        </div>
    }
}

/// What went wrong, and the way to start again where that can help.
#[component]
pub fn ProblemBanner() -> impl IntoView {
    let store = expect_context::<Store>();
    let sentence =
        move || store.problem.with(|problem| problem.as_ref().map(|problem| problem.sentence.clone()));
    let retry = move || store.problem.with(|problem| problem.as_ref().is_some_and(|problem| problem.retry));
    let standing = move || store.report.with(Option::is_some);
    view! {
        <div role="alert" class="problem" hidden=move || sentence().is_none()>
            <p>
                {sentence} " "
                {move || (sentence().is_some() && standing()).then_some(words::OLD_PICTURE)}
            </p>
            <Show when=retry>
                <button type="button" data-action="try-again" on:click=move |_| store.try_again()>
                    {words::TRY_AGAIN}
                </button>
            </Show>
        </div>
    }
}

/// What the link asked for and could not have.
#[component]
pub fn Complaints() -> impl IntoView {
    let store = expect_context::<Store>();
    let any = move || store.complaints.with(|complaints| !complaints.is_empty());
    view! {
        <div class="notes" role="status" data-part="complaints">
            <Show when=any>
                <ul>
                    {move || {
                        store.complaints.get().into_iter().map(|complaint| view! { <li>{complaint}</li> }).collect_view()
                    }}
                </ul>
                <button type="button" class="quiet" on:click=move |_| store.complaints.update(Vec::clear)>
                    {words::DISMISS}
                </button>
            </Show>
        </div>
    }
}
