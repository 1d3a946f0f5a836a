//! What the pictures hold for small reports.

use super::*;
use crate::page::labs::models::samples::{layer, report};

fn sample() -> Report {
    let first = layer(&[[1.0, 0.0], [0.5, 0.0]], &[0.1, 0.2], &[0.3, 0.2]);
    let mut second = layer(&[[0.4, 0.3], [0.4, -0.3], [0.1, 0.0]], &[0.15, 0.25], &[0.5, 0.7]);
    second.rho = None;
    report(false, vec![first, second])
}

fn lines(picture: Picture) -> Lines {
    match picture {
        Picture::Lines(lines) => lines,
        Picture::Plane(_) => unreachable!("a plane"),
    }
}

#[test]
fn a_token_is_measured_before_each_step_and_after_the_last() {
    let found = lines(alignment(&sample(), &[1]));
    assert_eq!(found.series.len(), 3);
    assert_eq!(found.series[1].points, [(0.0, 0.2), (1.0, 0.25), (2.0, 0.7)]);
    assert_eq!(found.series[1].colour, Colour::Category(1));
    assert!(found.series[1].labelled && !found.series[0].labelled);
    assert_eq!(found.series[2].points[2], (2.0, 0.6));
    assert_eq!(found.series[2].weight, Weight::Bold);
    assert_eq!(found.x.range, Some((0.0, 2.0)));
    assert!(found.y.label.contains("frame"), "one layer has a plane");
}

#[test]
fn the_table_holds_both_sides_of_every_step() {
    let found = alignment_table(&sample());
    assert_eq!(found.rows.len(), 6);
    assert_eq!(found.rows[0], ["0", "0", "\u{2423}t0", "0.1000", "0.3000"]);
    assert_eq!(found.rows[5], ["1", "", "mean", "0.2000", "0.6000"]);
}

#[test]
fn what_is_absent_interrupts_the_line() {
    let found = lines(steps(&sample()));
    assert!(found.series[0].points[1].1.is_nan());
    assert!(has_values(&Picture::Lines(found)));
    assert!(!has_values(&consensus(&Report { mean_pairwise_cosine: vec![], spread: vec![], ..sample() })));
}

#[test]
fn a_pair_leads_together_and_lies_on_its_circle() {
    let Picture::Plane(found) = spectrum(&sample().layers[1]) else { unreachable!("lines") };
    let filled: Vec<_> = found.points.iter().map(|point| point.filled).collect();
    assert_eq!(filled, [true, true, false]);
    assert!((found.circles[0].radius - 1.0).abs() < 1e-12);
    assert!((found.circles[1].radius - 1.4_f64.hypot(0.3)).abs() < 1e-12);
    assert_eq!(spectrum_table(&sample().layers[1]).rows[0], ["1", "0.4000", "0.3000", "1.432"]);
}

#[test]
fn unrolled_layers_are_called_steps() {
    let mut unrolled = sample();
    unrolled.model.shared = true;
    unrolled.model.depth = 12;
    assert_eq!(lines(consensus(&unrolled)).x.label, "step t");
    assert_eq!(lines(gaps(&sample())).series[1].points.len(), 2);
}
