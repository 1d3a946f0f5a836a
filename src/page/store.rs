//! The page's state as signals: what the reader chose, what the worker found, and what happens in between.

use std::{sync::Arc, time::Duration};

use leptos::prelude::*;
use web_sys::File;

use super::{
    address,
    state::Choices,
    worker_client::{Said, Task, WorkerClient},
};
use crate::{
    protocol::{ModelSource, Progress},
    report::Report,
};

/// How long typing and sliding rest before the page acts on them.
const REST: Duration = Duration::from_millis(250);
/// How often the page asks itself whether the worker still speaks.
const PULSE: Duration = Duration::from_secs(5);
/// How long the worker may be silent, in milliseconds, before the reader is told.
const SILENCE: f64 = 30_000.0;

/// What the worker is at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Work {
    /// Nothing.
    #[default]
    Idle,
    /// A request, and how far it is as far as is known.
    Busy(Option<Progress>),
    /// Nothing, because the reader stopped it.
    Stopped,
}

impl Work {
    /// Whether a request is under way.
    #[must_use]
    pub const fn is_busy(self) -> bool {
        matches!(self, Self::Busy(_))
    }
}

/// What went wrong: one sentence, and whether starting again can help.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What happened and what to do.
    pub sentence: String,
    /// Whether a new worker is offered.
    pub retry: bool,
}

/// How a choice is made, which decides when it acts and whether going back undoes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// One of many in a row, such as typing: acts after a rest, replaces the address.
    Continuous,
    /// One decision, such as another model: acts at once, and going back undoes it.
    Discrete,
}

/// What waits for the rest to be over.
#[derive(Clone, Copy, Debug, Default)]
struct Pending {
    timer: Option<TimeoutHandle>,
    run: bool,
}

/// Signals and the ways to change them. Copies are the same store.
#[derive(Clone, Copy)]
pub struct Store {
    /// What the reader chose.
    pub choices: RwSignal<Choices>,
    /// The last good report.
    pub report: RwSignal<Option<Arc<Report>>>,
    /// What the worker is at.
    pub work: RwSignal<Work>,
    /// What went wrong last, until something goes well.
    pub problem: RwSignal<Option<Problem>>,
    /// What the link asked for in vain.
    pub complaints: RwSignal<Vec<String>>,
    /// The token that is pointed at, in whatever picture.
    pub highlight: RwSignal<Option<usize>>,
    /// Files that were opened, by the name that the link gives them: going back finds the former ones.
    files: StoredValue<Vec<(String, Vec<File>)>, LocalStorage>,
    worker: StoredValue<Option<WorkerClient>, LocalStorage>,
    pending: StoredValue<Pending>,
    heard: StoredValue<f64>,
}

impl Store {
    /// Reads the link, starts the worker, runs what the link asks for, and hears the reader go back and forth.
    #[must_use]
    pub fn start() -> Self {
        let (choices, complaints) = Choices::from_link(&address::fragment());
        let store = Self {
            choices: RwSignal::new(choices),
            report: RwSignal::new(None),
            work: RwSignal::new(Work::Idle),
            problem: RwSignal::new(None),
            complaints: RwSignal::new(complaints),
            highlight: RwSignal::new(None),
            files: StoredValue::new_local(Vec::new()),
            worker: StoredValue::new_local(None),
            pending: StoredValue::new(Pending::default()),
            heard: StoredValue::new(0.0),
        };
        store.worker.set_value(Some(WorkerClient::start(move |said| store.hear(said))));
        store.run();
        window_event_listener_untyped("popstate", move |_| store.follow_address());
        window_event_listener_untyped("hashchange", move |_| store.follow_address());
        window_event_listener_untyped("pagehide", move |_| store.settle());
        let _pulse = set_interval_with_handle(move || store.listen_for_silence(), PULSE);
        store
    }

    /// Changes what the reader chose; runs anew where that needs another analysis.
    pub fn edit(self, change: Change, edit: impl FnOnce(&mut Choices)) {
        let before = self.choices.get_untracked();
        let mut after = before.clone();
        edit(&mut after);
        if after == before {
            return;
        }
        let run = !after.same_analysis(&before);
        self.complaints.update(Vec::clear);
        match change {
            Change::Continuous => {
                self.choices.set(after);
                self.postpone(run);
            }
            Change::Discrete => {
                let waiting = self.rest_over();
                address::replace(&before.to_link());
                address::push(&after.to_link());
                self.choices.set(after);
                if run || waiting {
                    self.run();
                }
            }
        }
    }

    /// Takes files of the reader's disk as the model.
    pub fn open_files(self, name: String, files: Vec<File>) {
        self.files.update_value(|opened| {
            opened.retain(|(other, _)| *other != name);
            opened.push((name.clone(), files));
        });
        let model = ModelSource::Local(name);
        let again = self.choices.with_untracked(|choices| choices.model == model);
        self.edit(Change::Discrete, |choices| choices.set_model(model));
        if again {
            self.run();
        }
    }

    /// Acts now on what waits for a rest; where nothing waits, runs again.
    pub fn run_now(self) {
        self.settle();
        if !self.work.get_untracked().is_busy() {
            self.run();
        }
    }

    /// Stops the request under way.
    pub fn cancel(self) {
        self.with_worker(WorkerClient::cancel);
    }

    /// Starts a new worker and runs again.
    pub fn try_again(self) {
        self.problem.set(None);
        self.with_worker(WorkerClient::restart);
        self.run();
    }

    /// Says what went wrong before the worker was asked.
    pub fn complain(self, sentence: &str) {
        self.problem.set(Some(Problem { sentence: sentence.to_owned(), retry: false }));
    }

    /// Writes what waits into the address and runs it.
    pub fn settle(self) {
        if self.rest_over() {
            self.run();
        }
        address::replace(&self.choices.with_untracked(Choices::to_link));
    }

    fn postpone(self, run: bool) {
        let mut pending = self.pending.get_value();
        if let Some(timer) = pending.timer.take() {
            timer.clear();
        }
        pending.run |= run;
        pending.timer = set_timeout_with_handle(move || self.settle(), REST).ok();
        self.pending.set_value(pending);
    }

    /// Ends the rest and says whether a run was waiting for it.
    fn rest_over(self) -> bool {
        let mut pending = self.pending.get_value();
        self.pending.set_value(Pending::default());
        if let Some(timer) = pending.timer.take() {
            timer.clear();
        }
        pending.run
    }

    fn follow_address(self) {
        let (choices, complaints) = Choices::from_link(&address::fragment());
        let same = self.choices.with_untracked(|present| choices.same_analysis(present));
        let waiting = self.rest_over();
        if self.choices.with_untracked(|present| *present != choices) {
            self.complaints.set(complaints);
            self.choices.set(choices);
        }
        if !same || waiting {
            self.run();
        }
    }

    fn run(self) {
        let choices = self.choices.get_untracked();
        let files = match &choices.model {
            ModelSource::Bundled(_) => Vec::new(),
            ModelSource::Local(name) => self.files.with_value(|opened| {
                opened
                    .iter()
                    .find(|(other, _)| other == name)
                    .map(|(_, files)| files.clone())
                    .unwrap_or_default()
            }),
        };
        if choices.text.trim().is_empty() {
            self.cancel();
            return self.complain("The text is empty: type a word or a sentence.");
        }
        if let ModelSource::Local(name) = &choices.model
            && files.is_empty()
        {
            self.cancel();
            return self.complain(&format!(
                "This link shows a model from a disk, \u{201c}{name}\u{201d}: choose its files again to run it."
            ));
        }
        self.heard.set_value(js_sys::Date::now());
        self.work.set(Work::Busy(None));
        let task = Task {
            model: choices.model,
            base: address::base(),
            text: choices.text,
            settings: choices.settings,
            files,
        };
        self.with_worker(|worker| worker.analyze(task));
    }

    fn with_worker(self, act: impl FnOnce(&WorkerClient)) {
        // The client is taken out first: what it says while acting comes back to this store.
        if let Some(worker) = self.worker.get_value() {
            act(&worker);
        }
    }

    fn hear(self, said: Said) {
        self.heard.set_value(js_sys::Date::now());
        let silence_broken = self.work.get_untracked().is_busy()
            && self.problem.with_untracked(|problem| problem.as_ref().is_some_and(|problem| problem.retry));
        if silence_broken {
            self.problem.set(None);
        }
        match said {
            Said::Alive => {}
            Said::Progress(progress) => self.work.set(Work::Busy(Some(progress))),
            Said::Done(report) => {
                self.work.set(Work::Idle);
                self.problem.set(None);
                self.highlight.set(None);
                self.report.set(Some(Arc::new(*report)));
            }
            Said::Cancelled => self.work.set(Work::Stopped),
            Said::Failed(sentence) => {
                self.work.set(Work::Idle);
                self.problem.set(Some(Problem { sentence, retry: false }));
            }
            Said::Died(sentence) => {
                self.work.set(Work::Idle);
                self.problem.set(Some(Problem { sentence, retry: true }));
            }
        }
    }

    fn listen_for_silence(self) {
        let busy = self.work.get_untracked().is_busy();
        if busy && js_sys::Date::now() - self.heard.get_value() > SILENCE {
            let sentence = "Nothing has been heard from the part of this page that computes for half a minute. It may still be on its way over a slow line, or it may have stopped.";
            let problem = Some(Problem { sentence: sentence.to_owned(), retry: true });
            if self.problem.get_untracked() != problem {
                self.problem.set(problem);
            }
        }
    }
}
