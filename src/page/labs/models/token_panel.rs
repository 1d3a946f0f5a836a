//! The tokens as text, coloured by their alignment after the last step.

use std::sync::Arc;

use leptos::prelude::*;

use super::{
    pictures::pick_colour,
    tokens::{Token, tokens},
    words,
};
use crate::page::{
    plots::Theme,
    store::{Change, Store},
};
use crate::report::Report;

/// Tokens to point at and to pick out.
#[component]
pub fn TokenPanel(report: Signal<Arc<Report>>) -> impl IntoView {
    let store = expect_context::<Store>();
    let list = Memo::new(move |_| tokens(&report.read()));
    let picked = Memo::new(move |_| store.choices.with(|choices| choices.picked.clone()));
    let told = move || match store.highlight.get() {
        Some(at) => list.with(|list| list.get(at).map(words::token_line)).unwrap_or_default(),
        None => words::HINT.to_owned(),
    };
    view! {
        <section class="tokens" aria-labelledby="tokens-title" data-part="tokens">
            <div class="tokens-head">
                <h3 id="tokens-title">{words::TOKENS}</h3>
                <Show when=move || picked.with(|picked| !picked.is_empty())>
                    <button type="button" class="quiet" data-action="clear-picks" on:click=move |_| {
                        store.edit(Change::Continuous, |choices| choices.picked.clear());
                    }>{words::CLEAR_PICKS}</button>
                </Show>
            </div>
            <ol class="token-list" on:pointerleave=move |_| store.highlight.set(None)>
                {move || list.get().into_iter().map(|token| view! { <TokenButton token picked /> }).collect_view()}
            </ol>
            <div class="ramp" aria-hidden="true">
                <span>"0"</span>
                <span class="ramp-bar" style=ramp()></span>
                <span>"1"</span>
                <span class="ramp-name">{words::RAMP}</span>
            </div>
            <p class="told">{told}</p>
        </section>
    }
}

#[component]
fn TokenButton(token: Token, picked: Memo<Vec<usize>>) -> impl IntoView {
    let store = expect_context::<Store>();
    let at = token.position;
    let rank = Memo::new(move |_| picked.with(|picked| picked.iter().position(|&picked| picked == at)));
    let colours = grounds(token.last);
    let lit = Memo::new(move |_| store.highlight.get() == Some(at));
    let line = words::token_line(&token);
    view! {
        <li>
            <button
                type="button"
                class="token"
                class:lit=move || lit.get()
                style=move || colours.clone() + &ring(rank.get())
                aria-pressed=move || rank.get().is_some().to_string()
                title=line
                data-token=at.to_string()
                on:pointerenter=move |_| store.highlight.set(Some(at))
                on:focus=move |_| store.highlight.set(Some(at))
                on:blur=move |_| store.highlight.set(None)
                on:click=move |_| store.edit(Change::Continuous, |choices| choices.toggle_pick(at))
            >
                <bdi>{token.text}</bdi>
                <small>{token.id.to_string()}</small>
            </button>
        </li>
    }
}

/// Ground and ink of a token on a light and on a dark page; the style sheet takes the pair that applies.
fn grounds(alignment: f64) -> String {
    if !alignment.is_finite() {
        return String::new();
    }
    let pair = |theme: Theme, name: &str| {
        let ground = theme.magnitude(alignment);
        let ink = if ground.luminance() > 0.179 { "#000" } else { "#fff" };
        format!("--ground-{name}:{};--ink-{name}:{ink};", ground.css())
    };
    pair(Theme::LIGHT, "light") + &pair(Theme::DARK, "dark")
}

/// The colour of a picked token's line, for both pages.
fn ring(rank: Option<usize>) -> String {
    let Some(colour) = rank.map(pick_colour) else { return String::new() };
    let (light, dark) = (Theme::LIGHT.colour(colour), Theme::DARK.colour(colour));
    format!("--ring-light:{};--ring-dark:{};", light.css(), dark.css())
}

/// The ramp from 0 to 1, for both pages.
fn ramp() -> String {
    let stops = |theme: Theme| {
        (0..=8).map(|step| theme.magnitude(f64::from(step) / 8.0).css()).collect::<Vec<_>>().join(",")
    };
    format!(
        "--ramp-light:linear-gradient(to right,{});--ramp-dark:linear-gradient(to right,{})",
        stops(Theme::LIGHT),
        stops(Theme::DARK)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_readable_on_their_ground() {
        for step in 0..=50 {
            for theme in [Theme::LIGHT, Theme::DARK] {
                let light = theme.magnitude(f64::from(step) / 50.0).luminance();
                let ratio = if light > 0.179 { (light + 0.05) / 0.05 } else { 1.05 / (light + 0.05) };
                assert!(ratio >= 4.5, "{step}: {ratio}");
            }
        }
        assert_eq!(grounds(f64::NAN), "");
    }
}
