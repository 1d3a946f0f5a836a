//! A picture with what belongs to it: its name, a caption, the formula, and its numbers.

use std::sync::Arc;

use leptos::prelude::*;

use super::{formula::Formula, words};
use crate::page::plots::picture::Table;

/// A table of more rows than this is shown in part until all of it is asked for.
const ROWS_AT_FIRST: usize = 1_000;

/// Makes a picture's table when it is looked at.
pub type TableMaker = Arc<dyn Fn() -> Table + Send + Sync>;

/// A figure with caption, formula and numbers. Its picture is the child.
#[component]
pub fn Figure(
    /// Name in the page's address space, for tests and styles.
    name: &'static str,
    /// Name for the reader.
    title: &'static str,
    /// What is seen, then how to read it.
    #[prop(into)]
    caption: Signal<String>,
    /// Definition and source.
    formula: Formula,
    /// The numbers.
    table: TableMaker,
    /// The picture and its own controls.
    children: Children,
) -> impl IntoView {
    let heading = format!("{name}-title");
    let labelled_by = heading.clone();
    view! {
        <figure class="figure" data-figure=name aria-labelledby=labelled_by>
            <div class="drawing">{children()}</div>
            <figcaption>
                <h3 id=heading>{title}". "</h3>
                <p>{caption}</p>
                <div class="more">
                    <details>
                        <summary>{words::FORMULA}<span class="unseen">": "{title}</span></summary>
                        <div class="formula" tabindex="0" role="group" aria-label=words::FORMULA inner_html=formula.html></div>
                        <p class="source">{formula.source}</p>
                    </details>
                    <Numbers name title table />
                </div>
            </figcaption>
        </figure>
    }
}

/// The numbers, built when they are opened and kept up while they are open.
#[component]
fn Numbers(name: &'static str, title: &'static str, table: TableMaker) -> impl IntoView {
    let open = RwSignal::new(false);
    let all = RwSignal::new(false);
    let toggled = move |event: web_sys::Event| {
        open.set(event_target::<web_sys::Element>(&event).has_attribute("open"));
    };
    let rows = move || {
        let Table { header, rows } = table();
        let hidden = rows.len().saturating_sub(ROWS_AT_FIRST);
        let shown = if all.get() { rows.len() } else { ROWS_AT_FIRST };
        view! {
            <div class="table" tabindex="0" role="region" aria-label=title>
                <table data-table=name>
                    <thead>
                        <tr>{header.into_iter().map(|cell| view! { <th scope="col">{cell}</th> }).collect_view()}</tr>
                    </thead>
                    <tbody>
                        {rows
                            .into_iter()
                            .take(shown)
                            .map(|row| {
                                view! { <tr>{row.into_iter().map(|cell| view! { <td>{cell}</td> }).collect_view()}</tr> }
                            })
                            .collect_view()}
                    </tbody>
                </table>
            </div>
            {(hidden > 0 && !all.get())
                .then(|| {
                    view! {
                        <button type="button" class="quiet" on:click=move |_| all.set(true)>
                            {format!("Show the other {hidden} rows")}
                        </button>
                    }
                })}
        }
    };
    view! {
        <details on:toggle=toggled data-numbers=name>
            <summary>{words::NUMBERS}<span class="unseen">": "{title}</span></summary>
            {move || open.get().then(&rows)}
        </details>
    }
}
