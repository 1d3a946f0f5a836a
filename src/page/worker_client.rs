//! The page's end of the line to its worker: one request at a time, and no answer to a replaced one gets through.

use std::{cell::RefCell, rc::Rc};

use leptos::prelude::window;
use wasm_bindgen::{JsCast, JsValue, closure::Closure};
use web_sys::{ErrorEvent, File, MessageEvent, Worker};

use crate::{
    protocol::{ModelSource, Progress, Request, Response},
    report::Report,
    settings::Settings,
};

/// The script that starts the worker, where the document does not name one.
const SCRIPT: &str = "./worker_loader.js";
/// Where the document names it.
const SCRIPT_ADDRESS: &str = "eigentiltWorkerUrl";
/// Where the document leaves a worker that it started while the page's own code was still on its way.
const STARTED_EARLY: &str = "eigentiltWorker";
/// Where such a worker keeps what went wrong before the page could listen.
const FAILURE: &str = "failure";

/// What the worker says about the request under way.
#[derive(Clone, Debug, PartialEq)]
pub enum Said {
    /// It works; nothing about the request yet.
    Alive,
    /// The request goes on.
    Progress(Progress),
    /// The request is answered.
    Done(Box<Report>),
    /// The request was stopped.
    Cancelled,
    /// The request could not be served: one sentence.
    Failed(String),
    /// The worker is gone: one sentence. [`WorkerClient::restart`] brings another.
    Died(String),
}

/// Which request is under way. Answers to any other are none of the reader's business any more.
#[derive(Debug, Default)]
struct Ledger {
    last: u64,
    open: Option<u64>,
}

impl Ledger {
    fn begin(&mut self) -> u64 {
        self.last += 1;
        self.open = Some(self.last);
        self.last
    }

    fn hear(&mut self, response: Response) -> Option<Said> {
        let (id, said) = match response {
            Response::Ready => return Some(Said::Alive),
            Response::Progress { id, progress } => (id, Said::Progress(progress)),
            Response::Done { id, report } => (id, Said::Done(report)),
            Response::Cancelled { id } => (id, Said::Cancelled),
            Response::Failed { id, message } => (id, Said::Failed(message)),
            Response::Crashed { message } => {
                self.open = None;
                return Some(Said::Died(obituary(&message)));
            }
        };
        if self.open != Some(id) {
            return None;
        }
        if !matches!(said, Said::Progress(_)) {
            self.open = None;
        }
        Some(said)
    }
}

/// What a request carries beside its id.
#[derive(Clone, Debug)]
pub struct Task {
    /// Which model.
    pub model: ModelSource,
    /// The folder of the bundled models' folder.
    pub base: String,
    /// The text.
    pub text: String,
    /// How to run it.
    pub settings: Settings,
    /// The model's files, where they come from the reader's disk.
    pub files: Vec<File>,
}

/// The worker and what was asked of it. Clones are the same client.
#[derive(Clone)]
pub struct WorkerClient {
    ledger: Rc<RefCell<Ledger>>,
    worker: Rc<RefCell<Option<Line>>>,
    listener: Rc<dyn Fn(Said)>,
}

/// A worker with the functions that it calls; they live as long as it does.
struct Line {
    worker: Worker,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(ErrorEvent)>,
}

impl Drop for Line {
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
    }
}

impl WorkerClient {
    /// Takes over the worker that the document started, or starts one. `listener` hears what it says.
    pub fn start(listener: impl Fn(Said) + 'static) -> Self {
        let client = Self { ledger: Rc::default(), worker: Rc::default(), listener: Rc::new(listener) };
        client.connect(property(&window(), STARTED_EARLY).and_then(|worker| worker.dyn_into().ok()));
        client
    }

    /// Ends the worker, whatever it does, and starts another.
    pub fn restart(&self) {
        self.worker.replace(None);
        self.ledger.borrow_mut().open = None;
        self.connect(None);
    }

    /// Asks for an analysis in place of the one under way.
    pub fn analyze(&self, task: Task) {
        let id = self.ledger.borrow_mut().begin();
        let Task { model, base, text, settings, files } = task;
        self.send(&Request::Analyze { id, model, base, text, settings }, &files);
    }

    /// Asks to stop the request under way.
    pub fn cancel(&self) {
        let open = self.ledger.borrow().open;
        if let Some(id) = open {
            self.send(&Request::Cancel { id }, &[]);
        }
    }

    fn connect(&self, early: Option<Worker>) {
        let failure = early.as_ref().and_then(|worker| property(worker, FAILURE)?.as_string());
        if let Some(failure) = failure {
            return self.say(Said::Died(obituary(&failure)));
        }
        let script = property(&window(), SCRIPT_ADDRESS).and_then(|address| address.as_string());
        let script = script.as_deref().unwrap_or(SCRIPT);
        let worker = match early.map_or_else(|| Worker::new(script), Ok) {
            Ok(worker) => worker,
            Err(error) => {
                let reason = js_sys::Error::from(error).message();
                return self.say(Said::Died(format!(
                    "The part of this page that computes could not start ({}).",
                    String::from(reason)
                )));
            }
        };
        let client = self.clone();
        let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            client.hear(&event.data());
        });
        let client = self.clone();
        let on_error = Closure::<dyn FnMut(ErrorEvent)>::new(move |event: ErrorEvent| {
            client.ledger.borrow_mut().open = None;
            client.say(Said::Died(obituary(&error_message(&event))));
        });
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        self.worker.replace(Some(Line { worker, _on_message: on_message, _on_error: on_error }));
    }

    fn hear(&self, data: &JsValue) {
        let Some(json) = data.as_string() else { return };
        let said = match serde_json::from_str::<Response>(&json) {
            Ok(response) => self.ledger.borrow_mut().hear(response),
            Err(error) => {
                self.ledger.borrow_mut().open = None;
                Some(Said::Failed(format!(
                    "The answer could not be read ({error}): reload the page, so that its parts are of one version."
                )))
            }
        };
        if let Some(said) = said {
            self.say(said);
        }
    }

    fn send(&self, request: &Request, files: &[File]) {
        let sent = serde_json::to_string(request).ok().and_then(|json| {
            let files: js_sys::Array = files.iter().collect();
            let message = js_sys::Array::of2(&JsValue::from_str(&json), &files);
            self.worker.borrow().as_ref()?.worker.post_message(&message).ok()
        });
        if sent.is_none() {
            self.ledger.borrow_mut().open = None;
            self.say(Said::Died("The part of this page that computes does not run.".to_owned()));
        }
    }

    fn say(&self, said: Said) {
        (self.listener)(said);
    }
}

/// What an error event says. A script that could not be fetched gives a plain event without a message.
fn error_message(event: &ErrorEvent) -> String {
    property(event, "message").and_then(|message| message.as_string()).unwrap_or_default()
}

fn property(of: &JsValue, name: &str) -> Option<JsValue> {
    js_sys::Reflect::get(of, &JsValue::from_str(name)).ok()
}

fn obituary(message: &str) -> String {
    let message = message.trim().trim_end_matches('.');
    let message = message.strip_prefix("Uncaught ").unwrap_or(message);
    if message.is_empty() {
        "The part of this page that computes could not be loaded.".to_owned()
    } else {
        format!("The part of this page that computes has stopped ({message}).")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Stage;

    fn progress(id: u64) -> Response {
        Response::Progress { id, progress: Progress { stage: Stage::Spectra, done: 1, of: 2 } }
    }

    #[test]
    fn answers_to_replaced_requests_are_not_heard() {
        let mut ledger = Ledger::default();
        let first = ledger.begin();
        let second = ledger.begin();
        assert!(second > first);
        assert_eq!(ledger.hear(progress(first)), None);
        assert_eq!(ledger.hear(Response::Failed { id: first, message: "old".to_owned() }), None);
        assert!(matches!(ledger.hear(progress(second)), Some(Said::Progress(_))));
        assert_eq!(ledger.hear(Response::Cancelled { id: second }), Some(Said::Cancelled));
        assert_eq!(ledger.hear(progress(second)), None, "nothing comes after the end");
        assert_eq!(ledger.hear(Response::Ready), Some(Said::Alive));
    }

    #[test]
    fn a_death_is_told_in_one_sentence() {
        assert_eq!(obituary(""), "The part of this page that computes could not be loaded.");
        assert_eq!(
            obituary("Uncaught RuntimeError: unreachable."),
            "The part of this page that computes has stopped (RuntimeError: unreachable)."
        );
    }
}
