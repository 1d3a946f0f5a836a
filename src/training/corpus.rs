//! The text as tokens, and the batches drawn from it.

use std::path::Path;

use tokenizers::Tokenizer;

use super::error::TrainError;
use super::model::Pass;
use super::random::Random;
use super::settings::{Family, Settings};
use super::tokenizer::{CLS, MASK, SEP};

/// The share of tokens that validation masks.
pub const VALIDATION_MASK: f64 = 0.15;

/// Reads the text; refuses an empty one.
pub fn read(path: &Path) -> Result<String, TrainError> {
    let text = std::fs::read_to_string(path)
        .map_err(|source| TrainError::Corpus { path: path.to_owned(), source })?;
    if text.trim().is_empty() { Err(TrainError::EmptyCorpus { path: path.to_owned() }) } else { Ok(text) }
}

/// The text as the tokenizer sees it: for ALBERT one paragraph a piece, its lines joined; for GPT-2 as it stands.
#[must_use]
pub fn pieces(text: &str, family: Family) -> Vec<String> {
    match family {
        Family::Albert => text
            .replace("\r\n", "\n")
            .split("\n\n")
            .map(|paragraph| paragraph.split_whitespace().collect::<Vec<_>>().join(" "))
            .filter(|paragraph| !paragraph.is_empty())
            .collect(),
        Family::Gpt2 => vec![text.to_owned()],
    }
}

/// Tokens for training and for validation.
#[derive(Debug, Clone)]
pub struct Corpus {
    tokens: Vec<u32>,
    held_out: Vec<u32>,
    /// For each token id, whether a word begins with it.
    begins: Vec<bool>,
    /// For each token id, whether it is punctuation.
    punctuation: Vec<bool>,
}

impl Corpus {
    /// Encodes the pieces and holds out the last tokens.
    pub fn new(
        path: &Path,
        pieces: &[String],
        tokenizer: &Tokenizer,
        settings: &Settings,
    ) -> Result<Self, TrainError> {
        let mut tokens = Vec::new();
        for piece in pieces {
            let encoding = tokenizer.encode_fast(piece.as_str(), false);
            tokens.extend_from_slice(encoding.map_err(|e| TrainError::Tokenizer(e.to_string()))?.get_ids());
        }
        let needed = settings.held_out + settings.held_out.max(4 * settings.length);
        if tokens.len() < needed {
            return Err(TrainError::SmallCorpus { path: path.to_owned(), found: tokens.len(), needed });
        }
        let held_out = tokens.split_off(tokens.len() - settings.held_out);
        let (mut begins, mut punctuation) = (Vec::new(), Vec::new());
        for id in 0..settings.vocabulary as u32 {
            let piece = tokenizer.id_to_token(id).unwrap_or_default();
            let mark = !piece.chars().any(char::is_alphanumeric) && piece != "\u{2581}";
            // A word begins with the mark for a space; a piece of punctuation is a word of its own.
            begins.push(mark || piece.starts_with('\u{2581}'));
            punctuation.push(mark);
        }
        Ok(Self { tokens, held_out, begins, punctuation })
    }

    /// Tokens for training and for validation.
    #[must_use]
    pub fn counts(&self) -> (usize, usize) {
        (self.tokens.len(), self.held_out.len())
    }

    /// The batch of a step, in as many shards as it has halves: the same for the same seed and step.
    #[must_use]
    pub fn batch(&self, settings: &Settings, step: usize) -> Vec<Pass> {
        let mut random = Random::new(settings.seed, step as u64);
        let sequences = settings.batch;
        let halves = [sequences.div_ceil(2), sequences / 2];
        let shards = halves.into_iter().filter(|&count| count > 0).map(|count| {
            let mut pass = Pass {
                length: settings.length,
                applications: settings.applications(step),
                dropout_seed: (settings.dropout > 0.0).then(|| random.bits()),
                ..Pass::default()
            };
            for _ in 0..count {
                let room = settings.positions - settings.length;
                // Half of the sequences begin at the table's first row, as they do in use.
                let offset = if random.uniform() < 0.5 { 0 } else { random.below(room + 1) };
                self.training_sequence(settings, &mut random, offset, &mut pass);
            }
            pass
        });
        shards.collect()
    }

    fn training_sequence(&self, settings: &Settings, random: &mut Random, offset: usize, pass: &mut Pass) {
        match settings.family {
            Family::Albert => {
                let count = settings.length - 2;
                let from = random.below(self.tokens.len() - count + 1);
                let window = &self.tokens[from..from + count];
                self.masked(window, offset, settings.mask, true, random, pass);
            }
            Family::Gpt2 => {
                let from = random.below(self.tokens.len() - settings.length);
                next_token(&self.tokens[from..=from + settings.length], offset, pass);
            }
        }
    }

    /// Adds `[CLS] window [SEP]` with a share of its words masked; every masked token is to be predicted.
    fn masked(
        &self,
        window: &[u32],
        offset: usize,
        share: f64,
        whole_words: bool,
        random: &mut Random,
        pass: &mut Pass,
    ) {
        let mut words: Vec<std::ops::Range<usize>> = Vec::new();
        let mut punctuated = false;
        for (at, &token) in window.iter().enumerate() {
            let begins = self.begins.get(token as usize).copied().unwrap_or(true);
            match words.last_mut() {
                Some(word) if whole_words && !begins && !punctuated => word.end = at + 1,
                _ => words.push(at..at + 1),
            }
            punctuated = self.punctuation.get(token as usize).copied().unwrap_or(false);
        }
        random.shuffle(&mut words);
        // Rounded at random, so that the share holds on average for short windows too.
        let wanted = (share * window.len() as f64 + random.uniform()) as usize;
        let mut hidden = vec![false; window.len()];
        let mut count = 0;
        for word in words {
            if count > 0 && count + word.len() > wanted {
                continue;
            }
            count += word.len();
            hidden[word].fill(true);
        }
        let first = pass.ids.len();
        let shown = window.iter().zip(&hidden).map(|(&token, &hidden)| if hidden { MASK } else { token });
        pass.ids.extend(std::iter::once(CLS).chain(shown).chain([SEP]));
        pass.positions.extend((offset..offset + window.len() + 2).map(|position| position as u32));
        for at in (0..window.len()).filter(|&at| hidden[at]) {
            pass.rows.push((first + 1 + at) as u32);
            pass.targets.push(window[at]);
        }
    }

    /// The held-out tokens as passes of at most 32 sequences: for ALBERT with masks that depend on `masks` only.
    #[must_use]
    pub fn validation(&self, settings: &Settings, whole_words: bool, masks: u64) -> Vec<Pass> {
        let mut random = Random::new(masks, 0);
        let empty = Pass { length: settings.length, applications: settings.depth, ..Pass::default() };
        let mut passes = vec![empty.clone()];
        let mut add = |add: &mut dyn FnMut(&mut Pass)| {
            if passes.last().is_none_or(|pass| pass.ids.len() >= 32 * settings.length) {
                passes.push(empty.clone());
            }
            if let Some(pass) = passes.last_mut() {
                add(pass);
            }
        };
        match settings.family {
            Family::Albert => {
                for window in self.held_out.chunks_exact(settings.length - 2) {
                    add(&mut |pass| {
                        self.masked(window, 0, VALIDATION_MASK, whole_words, &mut random, pass);
                    });
                }
            }
            Family::Gpt2 => {
                let starts = (0..self.held_out.len() - settings.length).step_by(settings.length);
                for from in starts {
                    let window = &self.held_out[from..=from + settings.length];
                    add(&mut |pass| next_token(window, 0, pass));
                }
            }
        }
        passes
    }
}

/// Adds a sequence in which every token's target is the next one.
fn next_token(window: &[u32], offset: usize, pass: &mut Pass) {
    let count = window.len() - 1;
    let first = pass.ids.len();
    pass.ids.extend_from_slice(&window[..count]);
    pass.positions.extend((offset..offset + count).map(|position| position as u32));
    pass.rows.extend((first..first + count).map(|row| row as u32));
    pass.targets.extend_from_slice(&window[1..]);
}
