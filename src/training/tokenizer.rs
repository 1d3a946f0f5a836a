//! Trains the tokenizers: Unigram for ALBERT, byte-level BPE for GPT-2.

use serde_json::{Value, json};
use tokenizers::models::TrainerWrapper;
use tokenizers::models::bpe::BpeTrainer;
use tokenizers::models::unigram::UnigramTrainer;
use tokenizers::pre_tokenizers::byte_level::ByteLevel;
use tokenizers::{AddedToken, Tokenizer};

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

/// Learns a vocabulary of exactly this size from the pieces of text.
pub fn train(pieces: &[String], family: Family, vocabulary: usize) -> Result<Tokenizer, TrainError> {
    let refused = |error: Box<dyn std::error::Error + Send + Sync>| TrainError::Tokenizer(error.to_string());
    let mut tokenizer = Tokenizer::from_bytes(pipeline(family).to_string()).map_err(refused)?;
    let added = |names: &[&str]| names.iter().map(|name| AddedToken::from(*name, true)).collect::<Vec<_>>();
    let mut trainer: TrainerWrapper = match family {
        Family::Albert => UnigramTrainer::builder()
            .show_progress(false)
            .vocab_size(vocabulary as u32)
            .special_tokens(added(&SPECIAL))
            .unk_token(Some("<unk>".to_owned()))
            .build()
            .map_err(|error| TrainError::Tokenizer(error.to_string()))?
            .into(),
        Family::Gpt2 => BpeTrainer::builder()
            .show_progress(false)
            .vocab_size(vocabulary)
            .initial_alphabet(ByteLevel::alphabet().into_iter().collect())
            .special_tokens(added(&["<|endoftext|>"]))
            .build()
            .into(),
    };
    tokenizer.train(&mut trainer, pieces.iter()).map_err(refused)?;
    let found = tokenizer.get_vocab_size(true);
    if found == vocabulary { Ok(tokenizer) } else { Err(TrainError::Vocabulary { asked: vocabulary, found }) }
}
