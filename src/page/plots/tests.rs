//! Pictures of every kind at every size: nothing overlaps, nothing is cut off, and both exports hold the numbers.

use super::draw::{Look, lay_out};
use super::picture::{Axis, Band, Circle, Colour, Lines, Picture, Plane, PlanePoint, Rule, Scale, Series};
use super::picture::{Stroke, Weight};
use super::scene::{Mark, overlap};
use super::svg::to_svg;
use super::table::{table, table_with, to_csv};
use super::theme::Theme;

fn series(key: Option<usize>, label: &str, points: Vec<(f64, f64)>) -> Series {
    Series {
        key,
        label: label.to_owned(),
        labelled: true,
        points,
        colour: key.map_or(Colour::Accent, Colour::Category),
        stroke: if label.starts_with("predicted") { Stroke::Dashed } else { Stroke::Full },
        weight: if key.is_some() { Weight::Thin } else { Weight::Bold },
        markers: key.is_none(),
    }
}

fn alignment(tokens: usize, steps: usize) -> Picture {
    let curve = |tan: f64, rate: f64| -> Vec<(f64, f64)> {
        (0..=steps).map(|t| (t as f64, (tan * rate.powf(t as f64)).hypot(1.0).recip())).collect()
    };
    let mut lines: Vec<Series> = (0..tokens)
        .map(|i| {
            series(
                Some(i),
                &format!("▁token{i}"),
                curve(4.0 + (i * 7 % 11) as f64, 0.8 + (i % 5) as f64 * 0.02),
            )
        })
        .collect();
    lines.push(series(None, "predicted from |mu_2/mu_1|", curve(9.0, 0.86)));
    lines.push(series(None, "mean", curve(8.0, 0.85)));
    let label = "random directions (null)".to_owned();
    let points = (0..=steps).map(|t| (t as f64, 0.02, 0.1)).collect();
    Picture::Lines(Lines {
        x: Axis { label: "layer t".to_owned(), whole: true, ..Axis::default() },
        y: Axis {
            label: "alignment with v_1, |v_1 . x_i|".to_owned(),
            range: Some((0.0, 1.0)),
            ..Axis::default()
        },
        series: lines,
        bands: vec![Band { label, points, colour: Colour::Muted }],
        rules: vec![Rule { y: 0.5, label: "chance".to_owned() }],
        cursor: Some((steps / 3) as f64),
    })
}

fn logarithmic() -> Picture {
    let points = (0..60).map(|t| (f64::from(t), 0.8 * 0.7_f64.powi(t))).collect();
    Picture::Lines(Lines {
        x: Axis { label: "step".to_owned(), whole: true, ..Axis::default() },
        y: Axis { label: "spread".to_owned(), scale: Scale::Logarithmic, ..Axis::default() },
        series: vec![series(None, "measured", points)],
        ..Lines::default()
    })
}

fn spectrum(places: &[(f64, f64)]) -> Picture {
    let point = |(k, &(re, im)): (usize, &(f64, f64))| PlanePoint {
        key: Some(k),
        label: format!("lambda_{}", k + 1),
        labelled: true,
        re,
        im,
        colour: if k == 0 { Colour::Accent } else { Colour::Muted },
        filled: true,
    };
    Picture::Plane(Plane {
        x: Axis { label: "real part, Re lambda".to_owned(), ..Axis::default() },
        y: Axis { label: "imaginary part, Im lambda".to_owned(), ..Axis::default() },
        points: places.iter().enumerate().map(point).collect(),
        circles: vec![Circle {
            centre: (-1.0, 0.0),
            radius: 1.0,
            label: "|mu| = 1".to_owned(),
            colour: Colour::Muted,
            stroke: Stroke::Dashed,
        }],
    })
}

const CLOSE: [(f64, f64); 7] =
    [(0.86, 0.0), (0.8, 0.3), (0.8, -0.3), (0.79, 0.31), (0.79, -0.31), (0.78, 0.285), (0.81, 0.315)];

fn gallery() -> Vec<(&'static str, Picture)> {
    vec![
        ("three tokens", alignment(3, 12)),
        ("twenty tokens", alignment(20, 12)),
        ("many tokens", alignment(130, 12)),
        ("one step", alignment(5, 1)),
        ("no step", alignment(5, 0)),
        ("500 steps", alignment(4, 500)),
        ("log axis", logarithmic()),
        ("close eigenvalues", spectrum(&CLOSE)),
        ("negative eigenvalues", spectrum(&[(-2.3, 0.0), (0.4, 0.9), (0.4, -0.9)])),
        ("tiny eigenvalue", spectrum(&[(1e-7, 0.0)])),
        ("zero matrix", spectrum(&[(0.0, 0.0)])),
        ("empty", Picture::Lines(Lines::default())),
        ("no eigenvalues", spectrum(&[])),
        ("NaN", spectrum(&[(f64::NAN, 0.0)])),
    ]
}

#[test]
fn no_text_is_cut_off_or_covers_another() {
    for (name, picture) in gallery() {
        for size in [(860.0, 440.0), (400.0, 240.0), (320.0, 260.0), (300.0, 180.0)] {
            for (highlight, picked) in [(None, vec![]), (Some(2), vec![0, 1, 4, 7])] {
                let look = Look { highlight, picked, ..Look::plain(Theme::DARK) };
                let (scene, _) = lay_out(&picture, size, &look);
                let boxes = scene.text_boxes();
                assert!(!boxes.is_empty(), "{name}: says nothing");
                for (k, (text, own)) in boxes.iter().enumerate() {
                    let inside =
                        own[0] >= -0.5 && own[1] >= -0.5 && own[2] <= size.0 + 0.5 && own[3] <= size.1 + 0.5;
                    assert!(inside, "{name} at {size:?}: `{text}` is cut off: {own:?}");
                    for (other, taken) in &boxes[..k] {
                        let shrunk = [own[0] + 0.5, own[1] + 1.0, own[2] - 0.5, own[3] - 1.0];
                        assert!(!overlap(&shrunk, taken), "{name} at {size:?}: `{text}` covers `{other}`");
                    }
                }
            }
        }
    }
}

#[test]
fn every_mark_is_finite_and_inside() {
    for (name, picture) in gallery() {
        let size = (400.0, 240.0);
        let (scene, _) = lay_out(&picture, size, &Look::plain(Theme::LIGHT));
        for mark in &scene.marks {
            let points = match mark {
                Mark::Path { points, .. } | Mark::Area { points, .. } => points.clone(),
                Mark::Dot { at, .. } | Mark::Text { at, .. } => vec![*at],
            };
            let inside = |at: &(f64, f64)| {
                at.0 >= -1.0 && at.0 <= size.0 + 1.0 && at.1 >= -1.0 && at.1 <= size.1 + 1.0
            };
            assert!(points.iter().all(inside), "{name}: {mark:?}");
        }
    }
}

#[test]
fn missing_data_is_said_in_words() {
    let words = |picture: &Picture| -> Vec<String> {
        let (scene, map) = lay_out(picture, (400.0, 240.0), &Look::plain(Theme::LIGHT));
        assert!(map.is_empty() && map.nearest(200.0, 120.0).is_none());
        scene.text_boxes().into_iter().map(|(text, _)| text.to_owned()).collect()
    };
    assert_eq!(words(&Picture::Lines(Lines::default())), ["no values yet"]);
    assert_eq!(words(&spectrum(&[(f64::NAN, 0.0)])), ["no finite values"]);
    let broken = Lines { series: vec![series(None, "a", vec![(0.0, f64::NAN)])], ..Lines::default() };
    assert_eq!(words(&Picture::Lines(broken)), ["no finite values"]);
    let y = Axis { scale: Scale::Logarithmic, ..Axis::default() };
    let negative = Lines { y, series: vec![series(None, "a", vec![(0.0, -1.0)])], ..Lines::default() };
    assert_eq!(
        words(&Picture::Lines(negative)).join(" "),
        "no positive values, which a logarithmic axis needs"
    );
}

#[test]
fn hits_lead_back_to_the_data() {
    let (_, map) = lay_out(&alignment(3, 12), (860.0, 440.0), &Look::plain(Theme::LIGHT));
    for place in [(0, 0), (1, 7), (2, 12), (4, 3)] {
        let point = map.point(place);
        let found = point.as_ref().and_then(|point| map.nearest(point.at.0, point.at.1));
        assert_eq!(found.map(|hit| hit.x), point.as_ref().map(|hit| hit.x));
        assert_eq!(point.as_ref().and_then(|hit| map.x_at(hit.at.0)), point.map(|hit| hit.x));
    }
    let (_, map) = lay_out(&spectrum(&CLOSE), (400.0, 400.0), &Look::plain(Theme::LIGHT));
    let hit = map.point((0, 0)).and_then(|point| map.nearest(point.at.0 + 2.0, point.at.1));
    assert_eq!(hit.map(|hit| (hit.key, hit.label)), Some((Some(0), "λ₁".to_owned())));
    assert_eq!(map.x_at(100.0), None);
}

#[test]
fn an_svg_stands_on_its_own() {
    let svg = to_svg(&alignment(3, 12), 860, 440, &Look::plain(Theme::DARK));
    assert!(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"860\" height=\"440\""));
    assert!(svg.trim_end().ends_with("</svg>"));
    assert!(svg.contains("system-ui") && svg.contains("|v₁·xᵢ|") && svg.contains("#14171b"));
    assert!(!svg.contains("http://www.w3.org/1999") && !svg.contains("NaN"));
}

#[test]
fn the_table_holds_every_number() {
    let mut lines = Lines {
        x: Axis { label: "layer t".to_owned(), whole: true, ..Axis::default() },
        series: vec![
            series(Some(0), "a, \"b\"", vec![(0.0, 0.123_456), (1.0, f64::NAN)]),
            series(None, "gap |mu_1|", vec![(1.0, 1.0 / 3.0), (2.0, 2e-9)]),
        ],
        ..Lines::default()
    };
    lines.bands.push(Band {
        label: "null".to_owned(),
        points: vec![(0.0, -1.0, 1.0)],
        colour: Colour::Muted,
    });
    let picture = Picture::Lines(lines);
    let shown = table(&picture);
    assert_eq!(shown.header, ["layer t", "a, \"b\"", "gap |μ₁|", "null: low", "null: high"]);
    assert_eq!(shown.rows[0], ["0", "0.1235", "", "-1.000", "1.000"]);
    assert_eq!(shown.rows[1], ["1", "", "0.3333", "", ""]);
    assert_eq!(shown.rows[2], ["2", "", "2.000e-9", "", ""]);
    let exact = to_csv(&table_with(&picture, None));
    assert!(
        exact.starts_with("layer t,\"a, \"\"b\"\"\",gap |μ₁|,null: low,null: high\r\n0,0.123456,,-1,1\r\n")
    );
    assert!(exact.contains("0.3333333333333333"));
    let plane = table(&spectrum(&[(0.8, -0.3)]));
    assert_eq!(plane.rows, [["λ₁", "0.8000", "-0.3000"]]);
}
