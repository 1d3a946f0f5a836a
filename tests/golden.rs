//! All five families against an independent implementation.
// A test that cannot go on has failed; that is what these do.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::{FAMILIES, Fixture, agrees_with_golden};

fn family(name: &str) -> &'static Fixture {
    FAMILIES.iter().find(|fixture| fixture.name == name).unwrap()
}

macro_rules! golden {
    ($($test:ident: $name:literal),+) => {
        $(#[test]
        fn $test() {
            pollster::block_on(agrees_with_golden(family($name)));
        })+
    };
}

golden!(
    albert: "albert-tiny",
    bert: "bert-tiny",
    gpt2: "gpt2-tiny",
    gpt_neo: "gpt-neo-tiny",
    gpt_neox: "gpt-neox-tiny"
);

/// The two bundled models (F16 weights), read from the folders that the page ships.
mod bundled {
    use std::{fs, path::Path};

    use eigentilt::{
        analysis::Session,
        models::{Model, tokenizer::Input},
        settings::Settings,
        source::Source,
        watch::Unwatched,
    };
    use serde_json::Value;

    use super::common::{assert_close, numbers};

    fn agrees(name: &str) {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let golden = fs::read_to_string(root.join(format!("tests/fixtures/bundled/{name}.json"))).unwrap();
        let golden: Value = serde_json::from_str(&golden).unwrap();
        let text = Input::Text(golden["text"].as_str().unwrap().to_owned());
        let source = Source::folder(root.join("public/models").join(name));
        let mut session = Session::new(pollster::block_on(Model::open(source, &Unwatched)).unwrap());
        let report = pollster::block_on(session.analyze(&text, &Settings::default(), &Unwatched)).unwrap();
        assert_eq!(report.layers.len(), golden["layers"].as_array().unwrap().len());
        for (actual, expected) in report.layers.iter().zip(golden["layers"].as_array().unwrap()) {
            assert_close("before", &actual.align_before, &numbers(&expected["align_before"]), 3e-4);
            assert_close("after", &actual.align_after, &numbers(&expected["align_after"]), 3e-4);
        }
        let cosine = numbers(&golden["mean_pairwise_cosine"]);
        assert_close("cosine", &report.mean_pairwise_cosine, &cosine, 2e-4);
        let forward = pollster::block_on(session.forward(&text, &Unwatched)).unwrap();
        let cosine = numbers(&golden["full_model_mean_pairwise_cosine"]);
        assert_close("cosine of hidden states", &forward.mean_pairwise_cosine, &cosine, 2e-4);
    }

    #[test]
    fn albert_tales() {
        agrees("albert-tales");
    }

    #[test]
    fn gpt2_tales() {
        agrees("gpt2-tales");
    }
}
