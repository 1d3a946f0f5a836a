//! Why a training run stops.

use std::path::PathBuf;

/// What went wrong, in one sentence that names the file or setting and what to do.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    /// The corpus file cannot be read.
    #[error("{path}: the training text could not be read ({source}); give a UTF-8 text file with --corpus")]
    Corpus {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// The corpus holds nothing but white space.
    #[error("{path}: the training text is empty; give a text of at least a few thousand words with --corpus")]
    EmptyCorpus {
        /// The file.
        path: PathBuf,
    },
    /// Too few tokens for a held-out end and one training sequence.
    #[error(
        "{path}: the text has {found} tokens and {needed} are needed with these settings; give a longer text, or \
         lower --held-out or --length"
    )]
    SmallCorpus {
        /// The file.
        path: PathBuf,
        /// Tokens in the text.
        found: usize,
        /// Tokens for the held-out end and training.
        needed: usize,
    },
    /// The tokenizer found fewer pieces than asked for.
    #[error(
        "--vocabulary {asked}: this text supports only {found} pieces; ask for at most {found} or give a longer text"
    )]
    Vocabulary {
        /// The setting.
        asked: usize,
        /// What the tokenizer's training arrived at.
        found: usize,
    },
    /// A setting that cannot work.
    #[error("{setting}: {problem}")]
    Setting {
        /// The option as typed.
        setting: &'static str,
        /// What is wrong and what would do.
        problem: String,
    },
    /// The tokenizers library refused.
    #[error("the tokenizer could not be made: {0}; try another --vocabulary or another --tokenizer file")]
    Tokenizer(String),
    /// The loss or a gradient became infinite or not a number.
    #[error(
        "the loss became {loss} at step {step}; the weights of step {kept} are kept in {folder}: train again with a \
         lower --rate"
    )]
    NotFinite {
        /// Steps taken.
        step: usize,
        /// Its loss.
        loss: f64,
        /// The step of the last weights that were written.
        kept: usize,
        /// Where.
        folder: PathBuf,
    },
    /// A file cannot be written.
    #[error("{path}: could not be written ({source}); free some space or choose another folder with --out")]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// Something already in the folder cannot be continued.
    #[error("{path}: {problem}; choose another folder with --out, or remove that file to begin again")]
    Resume {
        /// The file.
        path: PathBuf,
        /// Why not.
        problem: String,
    },
    /// A tensor operation failed: shapes that do not fit.
    #[error("the model could not be computed: {0}; check --width, --heads and --length")]
    Compute(#[from] candle_core::Error),
}

impl TrainError {
    /// Turns an input/output error into one that names the file that could not be written.
    pub fn write(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::Write { path, source }
    }
}
