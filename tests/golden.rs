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

/// Trained models with F16 weights: the bundled GPT-2, and the ALBERT that was bundled before it was trained anew.
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

    fn agrees(folder: &str, golden: &str) {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let golden = fs::read_to_string(root.join(golden)).unwrap();
        let golden: Value = serde_json::from_str(&golden).unwrap();
        let text = Input::Text(golden["text"].as_str().unwrap().to_owned());
        let source = Source::folder(root.join(folder));
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
        agrees("tests/fixtures/bundled/albert-tales", "tests/fixtures/bundled/albert-tales/golden.json");
    }

    #[test]
    fn gpt2_tales() {
        agrees("public/models/gpt2-tales", "tests/fixtures/bundled/gpt2-tales-golden.json");
    }
}
