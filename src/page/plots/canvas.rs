//! The canvas that shows a picture and answers to pointer, touch and keys.

use leptos::html;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use plotters::prelude::IntoDrawingArea;
use plotters_canvas::CanvasBackend;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, KeyboardEvent, MouseEvent, PointerEvent};

use super::draw::{Look, draw};
use super::hit::{Hit, HitMap, Place, Way};
use super::picture::{Axis, Picture};
use super::surroundings::{on_change, theme};
use super::words::{mathematics, shown};

/// What the small box beside a point says.
#[derive(Clone, Debug, PartialEq)]
struct Tip {
    name: String,
    value: String,
    /// Place and alignment.
    style: String,
    /// Reached with the keys: to be read out.
    aloud: bool,
}

/// A picture on a canvas: sharp at every density, in the colours of the system or of `data-theme` on the document.
///
/// Pointer or arrow keys move `highlight` and show name and value; a click (or Enter) on a keyed series calls
/// `on_pick`, elsewhere `on_x` with the value under the pointer. The wrapper has `data-plot=name`, the canvas the
/// id `plot-name` and, once drawn, `data-drawn`. Styles: `.plot`, `.plot-tip`.
#[component]
pub fn Plot(
    /// What is drawn.
    #[prop(into)]
    picture: Signal<Picture>,
    /// The hovered key, shared with whatever else shows the same things.
    highlight: RwSignal<Option<usize>>,
    /// The picked keys.
    #[prop(into)]
    picked: Signal<Vec<usize>>,
    /// A key was clicked.
    #[prop(into)]
    on_pick: Callback<usize>,
    /// An x was clicked, such as a layer.
    #[prop(optional, into)]
    on_x: Option<Callback<f64>>,
    /// Height in CSS pixels; the width is that of the surroundings.
    #[prop(default = 440.0)]
    height: f64,
    /// Size of axis text in CSS pixels; 12.5 unless given.
    #[prop(optional, into)]
    text: Option<Signal<f64>>,
    /// What is seen, in words, for those who cannot see it.
    #[prop(into)]
    description: Signal<String>,
    /// Name for tests and anchors, unique on the page.
    name: &'static str,
) -> impl IntoView {
    let canvas = NodeRef::<html::Canvas>::new();
    let hits = StoredValue::new(HitMap::default());
    let waiting = StoredValue::new(false);
    let place = StoredValue::new(None::<Place>);
    let tip = RwSignal::new(None::<Tip>);

    // However much changes within a frame, it is drawn once.
    let redraw = move || {
        if waiting.try_get_value() != Some(false) {
            return;
        }
        waiting.set_value(true);
        request_animation_frame(move || {
            let _ = waiting.try_set_value(false);
            let Some(Some(node)) = canvas.try_get_untracked() else { return };
            let look = Look {
                highlight: highlight.try_get_untracked().flatten(),
                picked: picked.try_get_untracked().unwrap_or_default(),
                text: text.and_then(|text| text.try_get_untracked()).unwrap_or(12.5),
                ..Look::plain(theme())
            };
            if let Some(Some(map)) = picture.try_with_untracked(|picture| paint(&node, picture, look)) {
                let _ = hits.try_set_value(map);
            }
        });
    };
    Effect::new(move |_| {
        picture.track();
        place.set_value(None);
        tip.set(None);
        redraw();
    });
    Effect::new(move |_| {
        highlight.track();
        picked.track();
        if let Some(text) = text {
            text.track();
        }
        redraw();
    });
    Effect::new(move |_| {
        if let Some(node) = canvas.get() {
            on_change(&node, redraw);
        }
    });

    let show = move |hit: Option<Hit>, aloud: bool| {
        let key = hit.as_ref().and_then(|hit| hit.key);
        if highlight.get_untracked() != key {
            highlight.set(key);
        }
        let wide = canvas.get_untracked().map_or(0.0, |node| f64::from(node.client_width()));
        tip.set(hit.map(|hit| picture.with_untracked(|picture| describe(picture, hit, wide, aloud))));
    };
    let clear = move || {
        place.set_value(None);
        show(None, false);
    };
    let under = move |event: &MouseEvent| (f64::from(event.offset_x()), f64::from(event.offset_y()));
    let hover = move |event: &PointerEvent| {
        let (x, y) = under(event);
        show(hits.with_value(|map| map.nearest(x, y)), false);
    };
    let choose = move |hit: Option<Hit>, x: Option<f64>| match (hit.and_then(|hit| hit.key), on_x, x) {
        (Some(key), ..) => on_pick.run(key),
        (None, Some(on_x), Some(x)) => on_x.run(x),
        _ => {}
    };
    let click = move |event: MouseEvent| {
        let (x, y) = under(&event);
        let (hit, value) = hits.with_value(|map| (map.nearest(x, y), map.x_at(x)));
        choose(hit, value);
    };
    let press = move |event: KeyboardEvent| {
        let way = match event.key().as_str() {
            "ArrowLeft" => Way::Left,
            "ArrowRight" => Way::Right,
            "ArrowUp" => Way::Up,
            "ArrowDown" => Way::Down,
            "Enter" | " " => {
                event.prevent_default();
                let hit = place.get_value().and_then(|at| hits.with_value(|map| map.point(at)));
                let x = hit.as_ref().map(|hit| hit.x);
                return choose(hit, x);
            }
            "Escape" => return clear(),
            _ => return,
        };
        event.prevent_default();
        let next = hits.with_value(|map| map.moved(place.get_value(), way));
        place.set_value(next);
        show(next.and_then(|at| hits.with_value(|map| map.point(at))), true);
    };

    view! {
        <div class="plot" data-plot=name style="position: relative">
            <canvas
                node_ref=canvas
                id=format!("plot-{name}")
                role="img"
                tabindex="0"
                aria-label=move || description.get()
                style=format!("display: block; width: 100%; height: {height}px; touch-action: pan-y")
                on:pointermove=move |event| hover(&event)
                on:pointerdown=move |event| hover(&event)
                on:pointerleave=move |event: PointerEvent| {
                    // A lifted finger leaves, but its reader has only begun to read.
                    if event.pointer_type() != "touch" {
                        clear();
                    }
                }
                on:blur=move |_| clear()
                on:click=click
                on:keydown=press
            ></canvas>
            <div
                class="plot-tip"
                role="status"
                aria-live=move || {
                    if tip.with(|tip| tip.as_ref().is_some_and(|tip| tip.aloud)) { "polite" } else { "off" }
                }
                style=move || tip.with(|tip| tip.as_ref().map(|tip| tip.style.clone()).unwrap_or_default())
            >
                {move || tip.get().map(|tip| view! { <strong>{tip.name}</strong> " " <span>{tip.value}</span> })}
            </div>
        </div>
    }
}

/// Draws the picture into the canvas, whose store is made to fit its size on the page.
fn paint(canvas: &HtmlCanvasElement, picture: &Picture, look: Look) -> Option<HitMap> {
    let (wide, high) = (canvas.client_width(), canvas.client_height());
    if wide < 1 || high < 1 {
        return None;
    }
    let scale = web_sys::window()?.device_pixel_ratio().max(2.0);
    let store = |length: i32| (f64::from(length) * scale).round() as u32;
    if (canvas.width(), canvas.height()) != (store(wide), store(high)) {
        canvas.set_width(store(wide));
        canvas.set_height(store(high));
    }
    let context = canvas.get_context("2d").ok()??.dyn_into::<CanvasRenderingContext2d>().ok()?;
    context.set_line_join("round");
    let area = CanvasBackend::with_canvas_object(canvas.clone())?.into_drawing_area();
    let map = draw(&area, picture, &Look { scale, ..look }).ok()?;
    let _ = canvas.set_attribute("data-drawn", &map.tracks.len().to_string());
    Some(map)
}

/// Name, value and place of the box beside a point.
fn describe(picture: &Picture, hit: Hit, wide: f64, aloud: bool) -> Tip {
    let short =
        |axis: &Axis| mathematics(&axis.label).split([',', '(']).next().unwrap_or_default().trim().to_owned();
    let value = match picture {
        Picture::Lines(lines) => {
            let x = if lines.x.whole { format!("{:.0}", hit.x) } else { shown(hit.x) };
            format!("{} {x}: {}", short(&lines.x), shown(hit.y))
        }
        Picture::Plane(_) => {
            let sign = if hit.y < 0.0 { "−" } else { "+" };
            format!("{} {sign} {}i", shown(hit.x), shown(hit.y.abs()))
        }
    };
    let (x, y) = hit.at;
    let (across, gap) = if x > wide * 0.55 { ("-100%", -10.0) } else { ("0", 10.0) };
    let (down, drop) = if y < 48.0 { ("0", 10.0) } else { ("-100%", -10.0) };
    let style = format!(
        "position: absolute; pointer-events: none; left: {:.1}px; top: {:.1}px; \
         transform: translate({across}, {down}); max-width: 60%",
        x + gap,
        y + drop
    );
    Tip { name: hit.label, value, style, aloud }
}
