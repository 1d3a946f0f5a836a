//! The native command `eigentilt`: the page's computations for tests, large models and scripts.

mod place;
mod table;

use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

use clap::{Args, Parser, Subcommand};
use serde::Serialize;

use crate::{
    analysis::{AnalysisError, Session},
    checkpoint::CheckpointError,
    models::{Model, ModelError, tokenizer::Input},
    settings::{Order, Radius, Settings},
    training::{self, TrainArguments, TrainError},
    watch::Unwatched,
};

/// How the tokens of a small transformer tilt towards the leading eigenvector of each layer.
#[derive(Debug, Parser)]
#[command(name = "eigentilt", version, about)]
struct CommandLine {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Run the attention-only dynamics on a text and measure the alignment with each layer's leading frame.
    Analyze(AnalyzeArguments),
    /// Run the faithful forward pass and print its hidden states.
    Forward(ForwardArguments),
    /// Train a small model and its tokenizer on a text.
    Train(Box<TrainArguments>),
}

#[derive(Debug, Args)]
struct AnalyzeArguments {
    #[command(flatten)]
    subject: Subject,
    /// Length of every token after a step: 1 or sqrt-d.
    #[arg(long, default_value_t)]
    radius: Radius,
    /// Apply the biases of q, k, v and the output.
    #[arg(long)]
    biases: bool,
    /// Order of the eigenvalues: shifted (|1 + lambda|), real (Re lambda) or modulus (|lambda|).
    #[arg(long, default_value_t)]
    order: Order,
    /// Number of steps; the model's depth by default, up to 500 where one layer is shared.
    #[arg(long, value_name = "N")]
    steps: Option<usize>,
    /// Number of leading eigenvalues a layer; a complex pair is never cut.
    #[arg(long, value_name = "K", default_value_t = Settings::default().eigenvalues)]
    eigenvalues: usize,
}

#[derive(Debug, Args)]
struct ForwardArguments {
    #[command(flatten)]
    subject: Subject,
}

/// What is run and where the answer goes.
#[derive(Debug, Args)]
struct Subject {
    /// Folder with config.json, model.safetensors and tokenizer.json; or hub:owner/name[@revision]; or a link to
    /// such a folder. Of the last two only what is needed is fetched, and kept for the next time.
    model: PathBuf,
    #[command(flatten)]
    input: InputArguments,
    /// Write JSON to this file, or to standard output for `-`, in place of the table.
    #[arg(long, value_name = "FILE|-")]
    json: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct InputArguments {
    /// The text to run on.
    #[arg(long)]
    text: Option<String>,
    /// Token ids to run on, separated by commas.
    #[arg(long, value_delimiter = ',', value_name = "1,2,3")]
    ids: Option<Vec<u32>>,
}

impl InputArguments {
    fn input(&self) -> Input {
        match (&self.text, &self.ids) {
            (_, Some(ids)) => Input::Ids(ids.clone()),
            (text, None) => Input::Text(text.clone().unwrap_or_default()),
        }
    }
}

/// Why the command ends with an error.
#[derive(Debug, thiserror::Error)]
enum CommandError {
    #[error(transparent)]
    Analysis(#[from] AnalysisError),
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error("{file} could not be written ({error}): choose another place.")]
    Write { file: String, error: io::Error },
    #[error("The answer could not be written as JSON ({0}).")]
    Json(#[from] serde_json::Error),
    #[error(transparent)]
    Train(#[from] TrainError),
    #[error("The answer could not be printed ({0}).")]
    Print(#[from] io::Error),
}

/// Runs the command line of this process; answers with the exit code: 0, 1 for an error, 2 for a wrong usage.
#[must_use]
pub fn run() -> i32 {
    let line = match CommandLine::try_parse() {
        Ok(line) => line,
        Err(error) => {
            // Help and version come this way too; clap knows where to print and which code is right.
            let code = error.exit_code();
            return if error.print().is_ok() { code } else { 1 };
        }
    };
    match pollster::block_on(perform(&line.task)) {
        Ok(()) => 0,
        // A reader such as `head` that closes the pipe is no failure.
        Err(CommandError::Print(error)) if error.kind() == io::ErrorKind::BrokenPipe => 0,
        Err(error) => {
            // Nothing is left to tell where standard error is closed.
            let _ = writeln!(io::stderr(), "eigentilt: {error}");
            1
        }
    }
}

async fn perform(task: &Task) -> Result<(), CommandError> {
    match task {
        Task::Analyze(arguments) => {
            let settings = Settings {
                radius: arguments.radius,
                biases: arguments.biases,
                order: arguments.order,
                steps: arguments.steps,
                eigenvalues: arguments.eigenvalues,
            };
            let mut session = open(&arguments.subject.model).await?;
            let input = arguments.subject.input.input();
            let report = session.analyze(&input, &settings, &Unwatched).await?;
            answer(arguments.subject.json.as_deref(), &report, || table::analysis(&report))
        }
        Task::Train(arguments) => Ok(training::run(TrainArguments::clone(arguments))?),
        Task::Forward(arguments) => {
            let session = open(&arguments.subject.model).await?;
            let report = session.forward(&arguments.subject.input.input(), &Unwatched).await?;
            answer(arguments.subject.json.as_deref(), &report, || table::forward(&report))
        }
    }
}

async fn open(place: &Path) -> Result<Session, CommandError> {
    let source = place::source(place).map_err(|error| ModelError::from(CheckpointError::from(error)))?;
    Ok(Session::new(Model::open(source, &Unwatched).await?))
}

fn answer<T: Serialize>(
    json: Option<&Path>,
    report: &T,
    table: impl FnOnce() -> String,
) -> Result<(), CommandError> {
    let Some(file) = json else {
        return Ok(io::stdout().lock().write_all(table().as_bytes())?);
    };
    let mut text = serde_json::to_string_pretty(report)?;
    text.push('\n');
    if file == Path::new("-") {
        return Ok(io::stdout().lock().write_all(text.as_bytes())?);
    }
    fs::write(file, text).map_err(|error| CommandError::Write { file: file.display().to_string(), error })
}
