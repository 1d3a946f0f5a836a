//! What a trained model makes of a few sentences, for the record of its training.

use candle_core::Tensor;
use serde::Serialize;
use tokenizers::Tokenizer;

use super::error::TrainError;
use super::model::{Model, Pass};
use super::parameters::Parameters;
use super::random::Random;
use super::settings::{Family, Settings};
use super::tokenizer::MASK;

const MASKED: [&str; 5] = [
    "Once upon a [MASK] there was a king who had three sons.",
    "The old woman opened the [MASK] and went into the house.",
    "\"Yes,\" [MASK] the fox, \"I will help you.\"",
    "The king gave his daughter to the young [MASK].",
    "They lived [MASK] together in the castle for many years.",
];
const BEGINNINGS: [&str; 5] = [
    "Once upon a time",
    "The old king said to his daughter",
    "When the wolf came to the house",
    "Alice looked at the",
    "In the middle of the forest",
];
/// Likeliest tokens shown for a mask.
const SHOWN: usize = 5;
/// Tokens in a continuation, and how much the logits are divided by before one is drawn.
const CONTINUATION: usize = 30;
const TEMPERATURE: f32 = 0.7;

/// A sentence and what the model adds to it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Example {
    /// The sentence, with `[MASK]` where a token is hidden.
    pub text: String,
    /// The likeliest tokens for the mask with their probabilities; or one continuation.
    pub answer: Vec<(String, f64)>,
}

/// Five masked sentences (ALBERT) or five continuations, drawn with a fixed seed (GPT-2).
pub fn examples(
    model: &dyn Model,
    parameters: &Parameters,
    tokenizer: &Tokenizer,
    settings: &Settings,
) -> Result<Vec<Example>, TrainError> {
    let parameters = parameters.detached();
    match settings.family {
        Family::Albert => {
            MASKED.iter().map(|text| fill(model, &parameters, tokenizer, settings, text)).collect()
        }
        Family::Gpt2 => {
            BEGINNINGS.iter().map(|text| go_on(model, &parameters, tokenizer, settings, text)).collect()
        }
    }
}

/// The ids of a text; never more than the positions allow.
fn encode(tokenizer: &Tokenizer, settings: &Settings, text: &str) -> Result<Vec<u32>, TrainError> {
    let encoding =
        tokenizer.encode_fast(text, true).map_err(|error| TrainError::Tokenizer(error.to_string()))?;
    Ok(encoding.get_ids().iter().copied().take(settings.positions).collect())
}

/// Probabilities [vocabulary] for the token at one row of a sequence.
fn probabilities(
    model: &dyn Model,
    parameters: &Parameters,
    settings: &Settings,
    ids: &[u32],
    row: usize,
    temperature: f32,
) -> Result<Vec<f32>, TrainError> {
    let pass = Pass {
        ids: ids.to_vec(),
        positions: (0..ids.len()).map(|position| position as u32).collect(),
        length: ids.len(),
        rows: vec![row as u32],
        targets: vec![0],
        applications: settings.depth,
        dropout_seed: None,
    };
    let logits: Tensor = (model.logits(parameters, &pass)? / f64::from(temperature))?;
    let logits: Vec<f32> = logits.flatten_all()?.to_vec1()?;
    let greatest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let weights: Vec<f32> = logits.iter().map(|logit| (logit - greatest).exp()).collect();
    let total: f32 = weights.iter().sum();
    Ok(weights.iter().map(|weight| weight / total).collect())
}

fn fill(
    model: &dyn Model,
    parameters: &Parameters,
    tokenizer: &Tokenizer,
    settings: &Settings,
    text: &str,
) -> Result<Example, TrainError> {
    let ids = encode(tokenizer, settings, text)?;
    let mut answer = Vec::new();
    if let Some(row) = ids.iter().position(|&id| id == MASK) {
        let found = probabilities(model, parameters, settings, &ids, row, 1.0)?;
        let mut order: Vec<usize> = (0..found.len()).collect();
        order.sort_by(|&a, &b| found[b].total_cmp(&found[a]));
        for &id in order.iter().take(SHOWN) {
            let piece = tokenizer.id_to_token(id as u32).unwrap_or_default();
            answer.push((piece.replace('\u{2581}', ""), f64::from(found[id])));
        }
    }
    Ok(Example { text: text.to_owned(), answer })
}

fn go_on(
    model: &dyn Model,
    parameters: &Parameters,
    tokenizer: &Tokenizer,
    settings: &Settings,
    text: &str,
) -> Result<Example, TrainError> {
    let mut random = Random::new(settings.seed, u64::MAX - 1);
    let mut ids = encode(tokenizer, settings, text)?;
    let prompt = ids.len();
    let mut likelihood = 0.0;
    for _ in 0..CONTINUATION {
        let seen = &ids[ids.len().saturating_sub(settings.positions)..];
        let found = probabilities(model, parameters, settings, seen, seen.len() - 1, TEMPERATURE)?;
        let mut left = random.uniform() as f32;
        let drawn = found.iter().position(|&probability| {
            left -= probability;
            left <= 0.0
        });
        let next = drawn.unwrap_or(0);
        likelihood += f64::from(found[next]).ln();
        ids.push(next as u32);
    }
    let continuation = tokenizer.decode(&ids[prompt..], true);
    let continuation = continuation.map_err(|error| TrainError::Tokenizer(error.to_string()))?;
    let answer = vec![(continuation, (likelihood / CONTINUATION as f64).exp())];
    Ok(Example { text: text.to_owned(), answer })
}
