//! The messages between the page and its worker. Both sides speak JSON; files travel beside it as `File` objects.
//!
//! A request carries an id that the page counts up. The worker serves one request at a time: a new one replaces
//! the one under way, which then ends without an answer. Every other request ends in exactly one of
//! [`Response::Done`], [`Response::Failed`] and [`Response::Cancelled`].

use serde::{Deserialize, Serialize};

use crate::{report::Report, settings::Settings};

/// Where a model comes from.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ModelSource {
    /// A folder below `models/` that the page ships.
    Bundled(String),
    /// Files of the reader's disk. They travel with the message; the name is for display.
    Local(String),
}

impl Default for ModelSource {
    fn default() -> Self {
        Self::Bundled("albert-tales".to_owned())
    }
}

/// From the page to the worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Request {
    /// Load the model if it is not the loaded one, and analyse a text.
    Analyze {
        /// Counts up; answers carry it.
        id: u64,
        /// Which model.
        model: ModelSource,
        /// Base of the bundled models' addresses, ending in `/`: the page's own folder.
        base: String,
        /// The reader's text.
        text: String,
        /// How to run it.
        settings: Settings,
    },
    /// Stop the request under way.
    Cancel {
        /// The request to stop; any other goes on.
        id: u64,
    },
}

/// What the worker is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    /// Bytes of the checkpoint; `done` and `of` are bytes.
    Loading,
    /// Leading eigenpairs; `done` and `of` are layers.
    Spectra,
    /// The trajectory; `done` and `of` are steps.
    Trajectory,
}

/// How far a request has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// What is being done.
    pub stage: Stage,
    /// How much of it is done, in the stage's unit.
    pub done: u64,
    /// How much there is; 0 where that is not known yet.
    pub of: u64,
}

impl Progress {
    /// In words: `spectra: layer 5 of 12`, `loading: 11.2 of 113.0 MB`.
    #[must_use]
    pub fn sentence(&self) -> String {
        let megabytes = |bytes: u64| bytes as f64 / 1e6;
        match (self.stage, self.of) {
            (Stage::Loading, 0) => format!("loading: {:.1} MB", megabytes(self.done)),
            (Stage::Loading, of) => {
                format!("loading: {:.1} of {:.1} MB", megabytes(self.done), megabytes(of))
            }
            (Stage::Spectra, of) => format!("spectra: layer {} of {of}", self.done),
            (Stage::Trajectory, of) => format!("trajectory: step {} of {of}", self.done),
        }
    }
}

/// From the worker to the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Response {
    /// The worker's code runs. Requests may be sent before: they wait.
    Ready,
    /// A request goes on.
    Progress {
        /// Which request.
        id: u64,
        /// How far it is.
        progress: Progress,
    },
    /// A request is answered.
    Done {
        /// Which request.
        id: u64,
        /// The answer.
        report: Box<Report>,
    },
    /// A request was stopped by [`Request::Cancel`].
    Cancelled {
        /// Which request.
        id: u64,
    },
    /// The worker broke down and serves nothing more: the page starts a new one.
    Crashed {
        /// What is known of the reason, in one sentence.
        message: String,
    },
    /// A request could not be served.
    Failed {
        /// Which request.
        id: u64,
        /// One plain sentence that names the file, tensor or setting and says what to do.
        message: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_is_said_in_words() {
        let say = |stage, done, of| Progress { stage, done, of }.sentence();
        assert_eq!(say(Stage::Loading, 11_240_000, 113_000_000), "loading: 11.2 of 113.0 MB");
        assert_eq!(say(Stage::Loading, 100_000, 0), "loading: 0.1 MB");
        assert_eq!(say(Stage::Spectra, 5, 12), "spectra: layer 5 of 12");
    }

    #[test]
    fn messages_survive_the_journey() {
        let request = Request::Analyze {
            id: 7,
            model: ModelSource::Local("my folder".to_owned()),
            base: "https://example.org/a/".to_owned(),
            text: "\u{1F426} \"sat\"".to_owned(),
            settings: Settings::default(),
        };
        let json = serde_json::to_string(&request).unwrap();
        assert_eq!(serde_json::from_str::<Request>(&json).unwrap(), request);
    }
}
