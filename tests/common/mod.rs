//! What several test programs share: the fixtures, and how they are compared with their reference values.

// Each test program uses a part of this file.
#![allow(dead_code)]

use std::collections::BTreeMap;

use eigentilt::{
    analysis::Session,
    models::{Model, tokenizer::Input},
    report::Report,
    settings::{Radius, Settings},
    source::Source,
    watch::Unwatched,
};
use serde_json::Value;

/// A checkpoint with the values that an independent implementation computed from it.
pub struct Fixture {
    pub name: &'static str,
    pub config: &'static [u8],
    pub weights: &'static [u8],
    pub tokenizer: &'static [u8],
    pub golden: &'static [u8],
}

macro_rules! fixture {
    ($name:literal) => {
        Fixture {
            name: $name,
            config: include_bytes!(concat!("../fixtures/", $name, "/config.json")),
            weights: include_bytes!(concat!("../fixtures/", $name, "/model.safetensors")),
            tokenizer: include_bytes!(concat!("../fixtures/", $name, "/tokenizer.json")),
            golden: include_bytes!(concat!("../fixtures/", $name, "/golden.json")),
        }
    };
}

/// One tiny checkpoint a family.
pub const FAMILIES: [Fixture; 5] = [
    fixture!("albert-tiny"),
    fixture!("bert-tiny"),
    fixture!("gpt2-tiny"),
    fixture!("gpt-neo-tiny"),
    fixture!("gpt-neox-tiny"),
];

impl Fixture {
    pub fn files(&self) -> BTreeMap<String, Vec<u8>> {
        [
            ("config.json", self.config),
            ("model.safetensors", self.weights),
            ("tokenizer.json", self.tokenizer),
        ]
        .into_iter()
        .map(|(name, bytes)| (name.to_owned(), bytes.to_vec()))
        .collect()
    }

    pub async fn session(&self) -> Session {
        let source = Source::memory(self.name, self.files());
        Session::new(Model::open(source, &Unwatched).await.unwrap())
    }

    pub fn golden(&self) -> Value {
        // The reference writes NaN where a value does not exist, which is no JSON.
        serde_json::from_str(&std::str::from_utf8(self.golden).unwrap().replace("NaN", "null")).unwrap()
    }
}

/// A list of numbers.
pub fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

/// Asserts that two lists agree to `tolerance`.
pub fn assert_close(what: &str, actual: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(actual.len(), expected.len(), "{what}: lengths");
    for (index, (a, e)) in actual.iter().zip(expected).enumerate() {
        assert!((a - e).abs() <= tolerance, "{what}[{index}]: {a} is not {e} within {tolerance}");
    }
}

/// Compares the attention-only analysis and the faithful pass with the reference values.
pub async fn agrees_with_golden(fixture: &Fixture) {
    let golden = fixture.golden();
    let mut session = fixture.session().await;
    analysis_agrees(fixture.name, &mut session, &golden).await;
    forward_agrees(fixture.name, &session, &golden).await;
}

/// Compares the faithful pass of the model called `name` with the reference values.
pub async fn forward_agrees(name: &str, session: &Session, golden: &Value) {
    let text = Input::Text(golden["text"].as_str().unwrap().to_owned());
    let forward = session.forward(&text, &Unwatched).await.unwrap();
    let hidden = golden["full_model_hidden_last_token_first8"].as_array().unwrap();
    assert_eq!(forward.hidden_last_token_first8.len(), hidden.len());
    for (index, (actual, expected)) in forward.hidden_last_token_first8.iter().zip(hidden).enumerate() {
        let what = format!("{name} hidden state {index}");
        assert_close(&what, actual, &numbers(expected), 3e-3);
    }
    let cosine = numbers(&golden["full_model_mean_pairwise_cosine"]);
    assert_close("cosine of hidden states", &forward.mean_pairwise_cosine, &cosine, 2e-4);
}

/// Compares the attention-only analysis of the model called `name` with the reference values.
pub async fn analysis_agrees(name: &str, session: &mut Session, golden: &Value) -> Report {
    let text = Input::Text(golden["text"].as_str().unwrap().to_owned());
    let report = session.analyze(&text, &Settings::default(), &Unwatched).await.unwrap();
    let ids: Vec<u64> = golden["ids"].as_array().unwrap().iter().map(|id| id.as_u64().unwrap()).collect();
    assert_eq!(report.ids.iter().map(|&id| u64::from(id)).collect::<Vec<_>>(), ids);
    let pieces: Vec<&str> =
        golden["tokens"].as_array().unwrap().iter().map(|t| t.as_str().unwrap()).collect();
    assert_eq!(report.tokens, pieces);
    let layers = golden["layers"].as_array().unwrap();
    assert_eq!(report.layers.len(), layers.len());
    for (index, (actual, expected)) in report.layers.iter().zip(layers).enumerate() {
        let at = |what: &str| format!("{name} layer {index} {what}");
        let shifted = |pair: &[f64]| (1.0 + pair[0]).hypot(pair[1]);
        let expected_pairs: Vec<Vec<f64>> =
            expected["eigenvalues"].as_array().unwrap().iter().map(numbers).collect();
        // The reference cuts a complex pair at the sixth eigenvalue; here it is kept whole.
        assert!((6..=7).contains(&actual.eigenvalues.len()), "{}", at("number of eigenvalues"));
        let moduli: Vec<f64> = actual.eigenvalues.iter().take(6).map(|pair| shifted(pair)).collect();
        let expected_moduli: Vec<f64> = expected_pairs.iter().map(|pair| shifted(pair)).collect();
        assert_close(&at("|mu|"), &moduli, &expected_moduli, 2e-5);
        let gap = expected["gap_shifted_modulus"].as_f64().unwrap();
        assert_close(&at("gap"), &[actual.gap_shifted_modulus.unwrap()], &[gap], 4e-5);
        assert_close(&at("before"), &actual.align_before, &numbers(&expected["align_before"]), 3e-4);
        assert_close(&at("after"), &actual.align_after, &numbers(&expected["align_after"]), 3e-4);
        assert_close(&at("gamma"), &[actual.gamma], &[expected["gamma"].as_f64().unwrap()], 3e-4);
        // A token whose alignment changes by less than the tolerance may count either way.
        let undecided = actual
            .align_before
            .iter()
            .zip(&actual.align_after)
            .filter(|(before, after)| (*after - *before).abs() < 3e-4)
            .count();
        let slack = undecided as f64 / report.ids.len() as f64 + 1e-9;
        assert_close(&at("rho"), &[actual.rho.unwrap()], &[expected["rho"].as_f64().unwrap()], slack);
    }
    let cosine = numbers(&golden["mean_pairwise_cosine"]);
    assert_close("mean pairwise cosine", &report.mean_pairwise_cosine, &cosine, 2e-4);
    assert_close("first token", &report.final_token0_first8, &numbers(&golden["final_token0_first8"]), 3e-4);
    assert_close("last token", &report.final_last_first8, &numbers(&golden["final_last_first8"]), 3e-4);

    let settings = Settings { biases: true, radius: Radius::SqrtD, ..Settings::default() };
    let biased = session.analyze(&text, &settings, &Unwatched).await.unwrap();
    let expected = &golden["with_biases_radius_sqrt_d"];
    let cosine = numbers(&expected["mean_pairwise_cosine"]);
    assert_close("cosine with biases", &biased.mean_pairwise_cosine, &cosine, 2e-4);
    let last = numbers(&expected["final_last_first8"]);
    assert_close("last token with biases", &biased.final_last_first8, &last, 3e-3);
    report
}
