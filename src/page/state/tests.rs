//! Links: round trips, old ones, and hostile ones.

use proptest::prelude::*;

use super::*;
use crate::settings::{MAX_EIGENVALUES, MAX_STEPS, Order, Radius};

fn choices() -> impl Strategy<Value = Choices> {
    let model = prop_oneof![
        Just(ModelSource::Bundled("albert-tales".to_owned())),
        Just(ModelSource::Bundled("gpt2-tales".to_owned())),
        "[^\\p{Cc}]{0,60}".prop_map(ModelSource::Local),
    ];
    let settings = (
        prop_oneof![Just(Radius::One), Just(Radius::SqrtD)],
        any::<bool>(),
        prop_oneof![Just(Order::Shifted), Just(Order::Real), Just(Order::Modulus)],
        proptest::option::of(1..=MAX_STEPS),
        1..=MAX_EIGENVALUES,
    );
    let picked = proptest::collection::hash_set(0..MAX_POSITION, 0..=MAX_PICKED);
    (model, any::<String>(), settings, 0..MAX_STEPS, picked).prop_map(
        |(model, text, (radius, biases, order, steps, eigenvalues), layer, picked)| {
            let mut choices = Choices {
                lab: Lab::Models,
                model,
                text,
                settings: Settings { radius, biases, order, steps, eigenvalues },
                layer,
                picked: picked.into_iter().collect(),
            };
            if choices.too_many_steps().is_some() {
                choices.settings.steps = None;
            }
            choices
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_link_brings_back_what_was_chosen(chosen in choices()) {
        let link = chosen.to_link();
        prop_assert!(link.is_ascii());
        prop_assert_eq!(Choices::from_link(&link), (chosen, vec![]));
    }

    #[test]
    fn any_fragment_gives_choices_within_the_limits(fragment in ".{0,400}") {
        let (read, _) = Choices::from_link(&fragment);
        prop_assert_eq!(Choices::from_link(&read.to_link()), (read, vec![]));
    }
}

#[test]
fn a_first_visit_has_a_bare_link() {
    assert_eq!(Choices::default().to_link(), "");
    assert_eq!(Choices::from_link(""), (Choices::default(), vec![]));
    assert_eq!(Choices::from_link("#"), (Choices::default(), vec![]));
}

/// Links that were given away. They must open for ever: add to the list, never change it.
#[test]
fn old_links_open() {
    let gpt2 = ModelSource::Bundled("gpt2-tales".to_owned());
    let list: Vec<(&str, Choices)> = vec![
        ("#v=1&model=gpt2-tales", Choices { model: gpt2.clone(), ..Choices::default() }),
        (
            "#v=1&model=gpt2-tales&text=The+king%27s+%22dog%22%2E&layer=3&picked=4,0",
            Choices {
                model: gpt2,
                text: "The king's \"dog\".".to_owned(),
                layer: 3,
                picked: vec![4, 0],
                ..Choices::default()
            },
        ),
        (
            "#v=1&radius=sqrt-d&biases=on&order=real&steps=200&eigenvalues=12",
            Choices {
                settings: Settings {
                    radius: Radius::SqrtD,
                    biases: true,
                    order: Order::Real,
                    steps: Some(200),
                    eigenvalues: 12,
                },
                ..Choices::default()
            },
        ),
        (
            "#v=1&model=files:my+folder&text=na%C3%AFve+%F0%9F%90%A6",
            Choices {
                model: ModelSource::Local("my folder".to_owned()),
                text: "na\u{ef}ve \u{1F426}".to_owned(),
                ..Choices::default()
            },
        ),
    ];
    for (link, expected) in list {
        assert_eq!(Choices::from_link(link), (expected, vec![]), "{link}");
    }
}

#[test]
fn what_cannot_be_had_is_said_and_falls_back() {
    let cases = [
        (
            "steps=9999",
            "The link asks for 9,999 steps; between 1 and 500 are possible, so the model's own depth is used.",
        ),
        (
            "steps=0",
            "The link asks for 0 steps; between 1 and 500 are possible, so the model's own depth is used.",
        ),
        ("eigenvalues=65", "The link asks for 65 eigenvalues; between 1 and 64 are possible, so 6 are used."),
        (
            "eigenvalues=-1",
            "The link asks for \u{201c}-1\u{201d} eigenvalues; between 1 and 64 are possible, so 6 are used.",
        ),
        ("layer=500", "The link asks for layer 500; 0 to 499 are possible, so layer 0 is shown."),
        (
            "model=bloom",
            "The link asks for the model \u{201c}bloom\u{201d}, which this page does not have, so albert-tales is used.",
        ),
        (
            "radius=2",
            "The link asks for \u{201c}2\u{201d} as the radius, which is not possible, so 1 is used.",
        ),
        ("text=%zz", "The link's text is damaged, so it is left as on a first visit: copy the link again."),
        (
            "colour=red",
            "The link speaks of \u{201c}colour\u{201d}, which this page does not know, so it is left out.",
        ),
        (
            "lab=kitchen",
            "The link asks for the lab \u{201c}kitchen\u{201d}, which this page does not have, so Models is shown.",
        ),
    ];
    for (link, complaint) in cases {
        assert_eq!(Choices::from_link(link), (Choices::default(), vec![complaint.to_owned()]), "{link}");
    }
}

#[test]
fn a_model_with_layers_of_its_own_stops_at_its_depth() {
    let (read, complaints) = Choices::from_link("steps=9&model=gpt2-tales");
    assert_eq!(read.settings.steps, None);
    assert_eq!(complaints.len(), 1);
    let (read, complaints) = Choices::from_link("steps=9&model=albert-tales");
    assert_eq!((read.settings.steps, complaints.len()), (Some(9), 0));
}

#[test]
fn a_hostile_link_is_cut() {
    let text = "x".repeat(20_001);
    let picks = vec!["1"; 100_000].join(",");
    let words = vec!["script=%3Cscript%3E"; 5_000].join("&");
    let (read, complaints) =
        Choices::from_link(&format!("text={text}&picked={picks}&{words}&model=files:{text}"));
    assert_eq!(read.text, EXAMPLE_TEXT);
    assert!(complaints.len() <= 7, "{complaints:?}");
    assert!(read.picked.len() <= MAX_PICKED);
    assert!(matches!(read.model, ModelSource::Local(name) if name.chars().count() == 60));
}

#[test]
fn picks_are_toggled_and_go_with_their_text() {
    let mut chosen = Choices::default();
    for position in 0..=MAX_PICKED {
        chosen.toggle_pick(position);
    }
    assert_eq!(chosen.picked.len(), MAX_PICKED);
    assert_eq!(chosen.picked[0], 1, "the oldest pick gives way");
    chosen.toggle_pick(5);
    assert!(!chosen.picked.contains(&5));
    chosen.set_text(EXAMPLE_TEXT.to_owned());
    assert!(!chosen.picked.is_empty(), "the same text keeps its picks");
    chosen.set_text("Another.".to_owned());
    assert!(chosen.picked.is_empty());
}

#[test]
fn a_change_of_model_keeps_only_the_steps_that_it_can_take() {
    let mut chosen = Choices::default();
    chosen.settings.steps = Some(100);
    chosen.set_model(ModelSource::Bundled("gpt2-tales".to_owned()));
    assert_eq!(chosen.settings.steps, None);
}
