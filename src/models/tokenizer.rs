//! Text to token ids through the model's own tokenizer.json, and ids back to something readable.

use tokenizers::{PostProcessor, Tokenizer as Inner, TruncationParams};

use crate::{
    settings::MAX_TEXT_CHARACTERS,
    source::{Source, SourceError},
};

/// Name of the file in Hugging Face layout.
pub const TOKENIZER_FILE: &str = "tokenizer.json";
/// Largest tokenizer.json that is read, in bytes.
const MAX_TOKENIZER_BYTES: u64 = 100_000_000;

/// Why a text or a list of ids cannot be analysed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)]
pub enum TextError {
    #[error(transparent)]
    Source(#[from] SourceError),
    #[error("tokenizer.json could not be read ({reason}): take the file that belongs to the model.")]
    Tokenizer { reason: String },
    #[error(
        "tokenizer.json knows {known} tokens, but config.json gives the model a vocabulary of {rows}: take the tokenizer that belongs to the model."
    )]
    ForeignTokenizer { known: usize, rows: usize },
    #[error("The text is empty: write at least one word.")]
    Empty,
    #[error("The list of token ids is empty: give at least one.")]
    NoIds,
    #[error("Token id {id} is beyond the model's vocabulary of {vocabulary}: ids go from 0 to {last}.", last = vocabulary - 1)]
    UnknownId { id: u32, vocabulary: usize },
    #[error(
        "The model takes {positions} tokens, which its {special} special tokens fill: a text has no place in it, take another model."
    )]
    NoRoom { positions: usize, special: usize },
    #[error(
        "{place} has no tokenizer.json, so a text cannot be cut into tokens: add the file, or give token ids."
    )]
    NoTokenizer { place: String },
}

/// What an analysis runs on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A text, to be cut by the model's tokenizer.
    Text(String),
    /// Token ids, taken as they are.
    Ids(Vec<u32>),
}

/// Tokens, ready for a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    /// Ids, at most as many as the model has positions.
    pub ids: Vec<u32>,
    /// The vocabulary's own spelling, such as `Ġking`; the id itself where there is no tokenizer.
    pub pieces: Vec<String>,
    /// What a reader sees, such as ` king`.
    pub texts: Vec<String>,
    /// Plain sentences on what was changed.
    pub notes: Vec<String>,
}

/// A model's tokenizer.
#[derive(Clone, Debug)]
pub struct Tokenizer {
    inner: Inner,
    note: Option<String>,
}

impl Tokenizer {
    /// Reads tokenizer.json of `source`; `None` where there is none. `vocabulary` is the number of rows of the
    /// word embedding.
    ///
    /// # Errors
    /// [`TextError`] where the file is damaged or knows more tokens than the embedding has rows.
    pub async fn read(source: &Source, vocabulary: usize) -> Result<Option<Self>, TextError> {
        match source.read_all(TOKENIZER_FILE, MAX_TOKENIZER_BYTES).await {
            Ok(bytes) => Self::parse(&bytes, vocabulary).map(Some),
            Err(SourceError::Missing { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Parses the bytes of a tokenizer.json.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn parse(bytes: &[u8], vocabulary: usize) -> Result<Self, TextError> {
        let unreadable = |error: tokenizers::Error| TextError::Tokenizer { reason: error.to_string() };
        // tokenizers 0.23 panics where the section "decoder" is no JSON.
        serde_json::from_slice::<serde::de::IgnoredAny>(bytes).map_err(|error| unreadable(error.into()))?;
        let mut inner = Inner::from_bytes(bytes).map_err(unreadable)?;
        // Some files come with a length of their own for batches; here every token of the text counts.
        inner.with_padding(None);
        inner.with_truncation(None).map_err(unreadable)?;
        let known = inner.get_vocab(true).values().max().map_or(0, |&largest| largest as usize + 1);
        if known > vocabulary {
            return Err(TextError::ForeignTokenizer { known, rows: vocabulary });
        }
        // Embeddings are often padded to a round number of rows, but not by a tenth.
        let note = (known * 10 < vocabulary * 9).then(|| {
            format!(
                "tokenizer.json knows {known} tokens, but config.json gives the model a vocabulary of {vocabulary}: check that both belong to the same model."
            )
        });
        Ok(Self { inner, note })
    }

    /// Cuts `text` into at most `positions` tokens, with the special tokens of the model.
    ///
    /// # Errors
    /// [`TextError::Empty`], or [`TextError::Tokenizer`] where the tokenizer itself fails.
    pub fn encode(&self, text: &str, positions: usize) -> Result<Tokens, TextError> {
        if text.trim().is_empty() {
            return Err(TextError::Empty);
        }
        let failed = |error: tokenizers::Error| TextError::Tokenizer { reason: error.to_string() };
        let mut notes: Vec<String> = self.note.iter().cloned().collect();
        let kept: String = text.chars().take(MAX_TEXT_CHARACTERS).collect();
        if kept.len() < text.len() {
            notes.push(format!("Only the first {MAX_TEXT_CHARACTERS} characters of the text were read."));
        }
        let mut encoding = self.inner.encode_fast(kept.as_str(), true).map_err(failed)?;
        let length = encoding.get_ids().len();
        if length > positions {
            let special = self.inner.get_post_processor().map_or(0, |p| p.added_tokens(false));
            if positions <= special {
                return Err(TextError::NoRoom { positions, special });
            }
            let mut cutting = self.inner.clone();
            let parameters = TruncationParams { max_length: positions, ..TruncationParams::default() };
            cutting.with_truncation(Some(parameters)).map_err(failed)?;
            encoding = cutting.encode_fast(kept.as_str(), true).map_err(failed)?;
            notes.push(format!(
                "The text has {length} tokens; the model takes {positions}, so the rest was cut off."
            ));
        }
        let ids = encoding.get_ids().to_vec();
        if ids.is_empty() {
            return Err(TextError::Empty);
        }
        Ok(self.describe(ids, notes))
    }

    /// Spells out `ids`, which must be within the vocabulary.
    #[must_use]
    pub fn describe(&self, ids: Vec<u32>, notes: Vec<String>) -> Tokens {
        let pieces: Vec<String> =
            ids.iter().map(|&id| self.inner.id_to_token(id).unwrap_or_else(|| format!("#{id}"))).collect();
        let texts = ids.iter().zip(&pieces).map(|(&id, piece)| self.readable(id, piece)).collect();
        Tokens { ids, pieces, texts, notes }
    }

    /// A token as a reader sees it. A piece of a character, which would decode to a replacement sign, is
    /// shown as its bytes.
    fn readable(&self, id: u32, piece: &str) -> String {
        let decoded = self.inner.decode(&[id], false).unwrap_or_else(|_| piece.to_owned());
        if decoded.contains('\u{FFFD}') {
            return piece.chars().map(byte_of_piece).collect();
        }
        // Decoders drop the mark of a word's beginning or of its continuation; it is the token's shape.
        if piece.starts_with('▁') && !decoded.starts_with(' ') {
            format!(" {decoded}")
        } else if piece.starts_with("##") || decoded.is_empty() {
            piece.to_owned()
        } else {
            decoded
        }
    }
}

/// One character of a byte-level piece as `<E2>`: the printable stand-ins of the byte-level alphabet are
/// undone (bytes that print stand for themselves, the others follow from U+0100 on).
fn byte_of_piece(character: char) -> String {
    let prints = |byte: u32| matches!(byte, 0x21..=0x7E | 0xA1..=0xAC | 0xAE..=0xFF);
    let code = character as u32;
    if code < 0x100 {
        return format!("<{code:02X}>");
    }
    match (0..0x100).filter(|&byte| !prints(byte)).nth((code - 0x100) as usize) {
        Some(byte) => format!("<{byte:02X}>"),
        None => character.to_string(),
    }
}

/// Tokens for `input`: a text through the tokenizer, ids checked against the vocabulary and cut to the positions.
///
/// # Errors
/// [`TextError`] for an empty input, an id beyond the vocabulary, or a text without a tokenizer.
pub fn tokens(
    tokenizer: Option<&Tokenizer>,
    place: &str,
    input: &Input,
    vocabulary: usize,
    positions: usize,
) -> Result<Tokens, TextError> {
    match input {
        Input::Text(text) => tokenizer
            .ok_or_else(|| TextError::NoTokenizer { place: place.to_owned() })?
            .encode(text, positions),
        Input::Ids(ids) => {
            if ids.is_empty() {
                return Err(TextError::NoIds);
            }
            if let Some(&id) = ids.iter().find(|&&id| id as usize >= vocabulary) {
                return Err(TextError::UnknownId { id, vocabulary });
            }
            let mut notes = Vec::new();
            if ids.len() > positions {
                notes.push(format!(
                    "{} token ids were given; the model takes {positions}, so the rest was cut off.",
                    ids.len()
                ));
            }
            let ids = ids[..ids.len().min(positions)].to_vec();
            Ok(if let Some(tokenizer) = tokenizer {
                tokenizer.describe(ids, notes)
            } else {
                let names: Vec<String> = ids.iter().map(|id| format!("#{id}")).collect();
                Tokens { ids, pieces: names.clone(), texts: names, notes }
            })
        }
    }
}
