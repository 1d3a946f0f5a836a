//! Trains the tokenizers: Unigram for ALBERT, byte-level BPE for GPT-2.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tokenizers::models::TrainerWrapper;
use tokenizers::models::bpe::BpeTrainer;
use tokenizers::models::unigram::{Unigram, UnigramTrainer};
use tokenizers::pre_tokenizers::byte_level::ByteLevel;
use tokenizers::{
    AddedToken, NormalizedString, Normalizer, OffsetReferential, OffsetType, PreTokenizedString,
    PreTokenizer, Tokenizer,
};

use super::error::TrainError;
use super::settings::Family;

/// ALBERT's special tokens, in the order of their ids.
const SPECIAL: [&str; 5] = ["<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]"];
/// Id of the token that begins a sequence.
pub const CLS: u32 = 2;
/// Id of the token that ends a sequence.
pub const SEP: u32 = 3;
/// Id of the token that stands for a hidden one.
pub const MASK: u32 = 4;

/// The pipeline around the model, as a tokenizer.json with next to nothing learnt.
fn pipeline(family: Family) -> Value {
    let metaspace =
        json!({"type": "Metaspace", "replacement": "\u{2581}", "prepend_scheme": "always", "split": true});
    let sequence = |id: &str, kind: u32| json!({"Sequence": {"id": id, "type_id": kind}});
    let special = |id: &str| json!({"SpecialToken": {"id": id, "type_id": 0}});
    let template = |id: &str, number: u32| json!({"id": id, "ids": [number], "tokens": [id]});
    let bytes = |add: bool, trim: bool| json!({"type": "ByteLevel", "add_prefix_space": add, "trim_offsets": trim, "use_regex": true});
    match family {
        Family::Albert => json!({
            "version": "1.0", "truncation": null, "padding": null, "added_tokens": [],
            "normalizer": {"type": "Sequence", "normalizers": [
                {"type": "NFKD"}, {"type": "StripAccents"}, {"type": "Lowercase"},
            ]},
            "pre_tokenizer": metaspace, "decoder": metaspace,
            "post_processor": {
                "type": "TemplateProcessing",
                "single": [special("[CLS]"), sequence("A", 0), special("[SEP]")],
                "pair": [sequence("A", 0), sequence("B", 1)],
                "special_tokens": {"[CLS]": template("[CLS]", CLS), "[SEP]": template("[SEP]", SEP)},
            },
            "model": {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0.0]], "byte_fallback": false},
        }),
        Family::Gpt2 => json!({
            "version": "1.0", "truncation": null, "padding": null, "added_tokens": [],
            "normalizer": null, "pre_tokenizer": bytes(false, true),
            "post_processor": bytes(true, false), "decoder": bytes(true, true),
            "model": {"type": "BPE", "dropout": null, "unk_token": null, "continuing_subword_prefix": null,
                "end_of_word_suffix": null, "fuse_unk": false, "byte_fallback": false, "ignore_merges": false,
                "vocab": {}, "merges": []},
        }),
    }
}

/// Learns a vocabulary of exactly this size from the pieces of text: the same one for the same text.
pub fn train(pieces: &[String], family: Family, vocabulary: usize) -> Result<Tokenizer, TrainError> {
    let mut tokenizer = Tokenizer::from_bytes(pipeline(family).to_string()).map_err(refused)?;
    match family {
        Family::Albert => {
            let model = unigram(&words(&tokenizer, pieces)?, vocabulary)?;
            tokenizer.with_model(model);
            tokenizer.add_special_tokens(added(&SPECIAL)).map_err(refused)?;
        }
        Family::Gpt2 => {
            let mut trainer: TrainerWrapper = BpeTrainer::builder()
                .show_progress(false)
                .vocab_size(vocabulary)
                .initial_alphabet(ByteLevel::alphabet().into_iter().collect())
                .special_tokens(added(&["<|endoftext|>"]))
                .build()
                .into();
            tokenizer.train(&mut trainer, pieces.iter()).map_err(refused)?;
        }
    }
    let found = tokenizer.get_vocab_size(true);
    if found == vocabulary { Ok(tokenizer) } else { Err(TrainError::Vocabulary { asked: vocabulary, found }) }
}

#[allow(clippy::needless_pass_by_value, reason = "what map_err hands over")]
fn refused(error: tokenizers::Error) -> TrainError {
    TrainError::Tokenizer(error.to_string())
}

fn added(names: &[&str]) -> Vec<AddedToken> {
    // A mask takes the space before it along, as in ALBERT's own tokenizer: "a [MASK]" would otherwise leave a
    // piece that is only a space.
    names.iter().map(|name| AddedToken::from(*name, true).lstrip(*name == "[MASK]")).collect()
}

/// How often each word occurs, in the order of the words: the library's own count comes in a random order, which
/// the trained pieces would depend on.
fn words(tokenizer: &Tokenizer, pieces: &[String]) -> Result<BTreeMap<String, u32>, TrainError> {
    let mut counts = BTreeMap::new();
    for piece in pieces {
        let mut text = NormalizedString::from(piece.as_str());
        if let Some(normalizer) = tokenizer.get_normalizer() {
            normalizer.normalize(&mut text).map_err(refused)?;
        }
        let mut text = PreTokenizedString::from(text);
        if let Some(pre_tokenizer) = tokenizer.get_pre_tokenizer() {
            pre_tokenizer.pre_tokenize(&mut text).map_err(refused)?;
        }
        for (word, _, _) in text.get_splits(OffsetReferential::Original, OffsetType::None) {
            *counts.entry(word.to_owned()).or_insert(0) += 1;
        }
    }
    Ok(counts)
}

/// Trains a Unigram model on counted words.
fn unigram(words: &BTreeMap<String, u32>, vocabulary: usize) -> Result<Unigram, TrainError> {
    let trainer = UnigramTrainer::builder()
        .show_progress(false)
        .vocab_size(vocabulary as u32)
        .special_tokens(added(&SPECIAL))
        .unk_token(Some("<unk>".to_owned()))
        .build()
        .map_err(|error| TrainError::Tokenizer(error.to_string()))?;
    let mut model = Unigram::default();
    let words = words.iter().map(|(word, count)| (word.clone(), *count)).collect();
    trainer.do_train(words, &mut model).map_err(refused)?;
    let mut scored: Vec<(String, f64)> = model.iter().skip(SPECIAL.len()).cloned().collect();
    order_rare_characters(&mut scored);
    scored.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let all = SPECIAL.iter().map(|name| ((*name).to_owned(), 0.0)).chain(scored).collect();
    Unigram::from(all, Some(1), false).map_err(refused)
}

/// The library gives characters that training dropped the least score and ever so little more, in a random order;
/// this gives the same scores in the order of the characters.
fn order_rare_characters(pieces: &mut [(String, f64)]) {
    const STEP: f64 = 0.0001;
    let least = pieces.iter().map(|piece| piece.1).fold(f64::INFINITY, f64::min);
    let single = |piece: &str| piece.chars().count() == 1;
    let (mut above, mut rare) = (0.0, Vec::new());
    while let Some(at) =
        pieces.iter().position(|(piece, score)| score.to_bits() == (least + above).to_bits() && single(piece))
    {
        rare.push(at);
        above += STEP;
    }
    let mut characters: Vec<String> = rare.iter().map(|&at| pieces[at].0.clone()).collect();
    characters.sort_unstable();
    for (&at, character) in rare.iter().zip(characters) {
        pieces[at].0 = character;
    }
}
