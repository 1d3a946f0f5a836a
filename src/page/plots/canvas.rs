//! The canvas that shows a picture and answers to pointer, touch and keys.

#![allow(
    clippy::must_use_candidate,
    reason = "the component macro drops the attribute, and views are always used"
)]

use leptos::html;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use plotters::prelude::IntoDrawingArea;
use plotters_canvas::CanvasBackend;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, KeyboardEvent, MouseEvent, PointerEvent};

use super::draw::{FONTS, Look, draw};
use super::hit::{Hit, HitMap, Place, Way};
use super::picture::{Axis, Picture};
use super::surroundings::{on_change, theme};
use super::theme::Theme;
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
    let panel = Panel {
        canvas: NodeRef::new(),
        picture,
        highlight,
        picked,
        text,
        on_pick,
        on_x,
        hits: StoredValue::new(HitMap::default()),
        waiting: StoredValue::new(false),
        place: StoredValue::new(None),
        tip: RwSignal::new(None),
    };
    panel.follow();
    let tip = panel.tip;
    view! {
        <div class="plot" data-plot=name style="position: relative">
            <canvas
                node_ref=panel.canvas
                id=format!("plot-{name}")
                role="img"
                tabindex="0"
                aria-label=move || description.get()
                style=format!("display: block; width: 100%; height: {height}px; touch-action: pan-y; outline-offset: 4px")
                on:pointermove=move |event| panel.hover(&event)
                on:pointerdown=move |event| panel.hover(&event)
                on:pointerleave=move |event: PointerEvent| {
                    // A lifted finger leaves, but its reader has only begun to read.
                    if event.pointer_type() != "touch" {
                        panel.clear();
                    }
                }
                on:blur=move |_| panel.clear()
                on:click=move |event| panel.click(&event)
                on:keydown=move |event| panel.press(&event)
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

/// All that a canvas on the page knows; a bundle of handles.
#[derive(Clone, Copy)]
struct Panel {
    canvas: NodeRef<html::Canvas>,
    picture: Signal<Picture>,
    highlight: RwSignal<Option<usize>>,
    picked: Signal<Vec<usize>>,
    text: Option<Signal<f64>>,
    on_pick: Callback<usize>,
    on_x: Option<Callback<f64>>,
    /// Where things stand in the drawing as it is now.
    hits: StoredValue<HitMap>,
    /// A drawing is asked for and has not begun.
    waiting: StoredValue<bool>,
    /// Where the arrow keys have led.
    place: StoredValue<Option<Place>>,
    tip: RwSignal<Option<Tip>>,
}

impl Panel {
    /// Draws anew whenever something that shows has changed.
    fn follow(self) {
        Effect::new(move |_| {
            self.picture.track();
            self.place.set_value(None);
            self.tip.set(None);
            self.redraw();
        });
        Effect::new(move |_| {
            self.highlight.track();
            self.picked.track();
            if let Some(text) = self.text {
                text.track();
            }
            self.redraw();
        });
        Effect::new(move |_| {
            if let Some(node) = self.canvas.get() {
                on_change(&node, move || self.redraw());
            }
        });
    }

    /// Draws in the next frame, once however much changes before it.
    fn redraw(self) {
        if self.waiting.try_get_value() != Some(false) {
            return;
        }
        self.waiting.set_value(true);
        request_animation_frame(move || {
            let _ = self.waiting.try_set_value(false);
            let Some(Some(node)) = self.canvas.try_get_untracked() else { return };
            let look = Look {
                highlight: self.highlight.try_get_untracked().flatten(),
                picked: self.picked.try_get_untracked().unwrap_or_default(),
                text: self.text.and_then(|text| text.try_get_untracked()).unwrap_or(12.5),
                ..Look::plain(theme())
            };
            let map = self.picture.try_with_untracked(|picture| paint(&node, picture, look));
            if let Some(Some(map)) = map {
                let _ = self.hits.try_set_value(map);
            }
        });
    }

    /// Raises what was hit and says its name and value beside it; read out aloud if keys led there.
    fn show(self, hit: Option<Hit>, aloud: bool) {
        let key = hit.as_ref().and_then(|hit| hit.key);
        if self.highlight.get_untracked() != key {
            self.highlight.set(key);
        }
        let wide = self.canvas.get_untracked().map_or(0.0, |node| f64::from(node.client_width()));
        let tip = hit.map(|hit| self.picture.with_untracked(|picture| describe(picture, hit, wide, aloud)));
        if self.tip.with_untracked(|shown| *shown != tip) {
            self.tip.set(tip);
        }
    }

    fn clear(self) {
        self.place.set_value(None);
        self.show(None, false);
    }

    fn hover(self, event: &PointerEvent) {
        let (x, y) = under(event);
        self.show(self.hits.with_value(|map| map.nearest(x, y)), false);
    }

    fn click(self, event: &MouseEvent) {
        let (x, y) = under(event);
        let (hit, value) = self.hits.with_value(|map| (map.nearest(x, y), map.x_at(x)));
        self.choose(hit.as_ref(), value);
    }

    /// A keyed series is picked; otherwise the value along the horizontal axis is chosen.
    fn choose(self, hit: Option<&Hit>, x: Option<f64>) {
        match (hit.and_then(|hit| hit.key), self.on_x, x) {
            (Some(key), ..) => self.on_pick.run(key),
            (None, Some(on_x), Some(x)) => on_x.run(x),
            _ => {}
        }
    }

    fn press(self, event: &KeyboardEvent) {
        let point = |place: Option<Place>| place.and_then(|at| self.hits.with_value(|map| map.point(at)));
        let way = match event.key().as_str() {
            "ArrowLeft" => Way::Left,
            "ArrowRight" => Way::Right,
            "ArrowUp" => Way::Up,
            "ArrowDown" => Way::Down,
            "Enter" | " " => {
                event.prevent_default();
                let hit = point(self.place.get_value());
                return self.choose(hit.as_ref(), hit.as_ref().map(|hit| hit.x));
            }
            "Escape" => return self.clear(),
            _ => return,
        };
        event.prevent_default();
        let next = self.hits.with_value(|map| map.moved(self.place.get_value(), way));
        self.place.set_value(next);
        self.show(point(next), true);
    }
}

/// Where the pointer is on the canvas, in CSS pixels.
fn under(event: &MouseEvent) -> (f64, f64) {
    (f64::from(event.offset_x()), f64::from(event.offset_y()))
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

/// An axis' name without its symbol: `layer` of `layer t`.
fn plain_name(axis: &Axis) -> String {
    let name = mathematics(&axis.label);
    let name = name.split([',', '(']).next().unwrap_or_default().trim();
    match name.rsplit_once(' ') {
        Some((name, symbol)) if symbol.chars().count() == 1 => name.to_owned(),
        _ => name.to_owned(),
    }
}

/// Name, value and place of the box beside a point.
fn describe(picture: &Picture, hit: Hit, wide: f64, aloud: bool) -> Tip {
    let value = match picture {
        Picture::Lines(lines) => {
            let x = if lines.x.whole { format!("{:.0}", hit.x) } else { shown(hit.x) };
            format!("{} {x}: {}", plain_name(&lines.x), shown(hit.y))
        }
        Picture::Plane(_) => {
            let sign = if hit.y < 0.0 { "−" } else { "+" };
            format!("{} {sign} {}i", shown(hit.x), shown(hit.y.abs()))
        }
    };
    let (x, y) = hit.at;
    let (across, gap) = if x > wide * 0.55 { ("-100%", -10.0) } else { ("0", 10.0) };
    let (down, drop) = if y < 48.0 { ("0", 10.0) } else { ("-100%", -10.0) };
    let Theme { paper, ink, line, .. } = theme();
    let style = format!(
        "position: absolute; pointer-events: none; left: {:.1}px; top: {:.1}px; \
         transform: translate({across}, {down}); width: max-content; max-width: 60%; padding: 2px 8px; border-radius: 4px; \
         border: 1px solid {}; background: {}; color: {}; font: 13px {FONTS}; \
         font-variant-numeric: tabular-nums",
        x + gap,
        y + drop,
        line.css(),
        paper.css(),
        ink.css(),
    );
    Tip { name: hit.label, value, style, aloud }
}
