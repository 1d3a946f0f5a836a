//! Serves the protocol in a web worker: one request at a time, with progress, cancel and replacement.

mod queue;

use std::{cell::RefCell, rc::Rc};

use futures_util::lock::Mutex;
use wasm_bindgen::{JsCast, JsValue, prelude::Closure};
use web_sys::{DedicatedWorkerGlobalScope, File, MessageEvent, PromiseRejectionEvent};

use self::queue::{Place, Queue};
use crate::{
    analysis::{AnalysisError, Session},
    checkpoint::CheckpointError,
    models::{Model, ModelError, tokenizer::Input},
    protocol::{ModelSource, Request, Response},
    settings::Settings,
    source::{FetchError, LocalFiles, Source, SourceError, fetch_folder},
};

/// The files of a model folder that an analysis needs.
const MODEL_FILES: [&str; 3] = ["config.json", "model.safetensors", "tokenizer.json"];

/// Which model a session was opened for. Files of the same name but another size or date are another model.
type SessionKey = (ModelSource, Vec<(String, u64, i64)>);

/// What lives as long as the worker does.
struct Worker {
    queue: Rc<Queue>,
    /// The loaded model. The lock is held by the request that is being served.
    session: Mutex<Option<(SessionKey, Session)>>,
}

/// Starts to listen; returns at once.
pub fn start() {
    let Ok(scope) = js_sys::global().dyn_into::<DedicatedWorkerGlobalScope>() else { return };
    report_crashes(&scope);
    let worker = Rc::new(Worker { queue: Rc::new(Queue::default()), session: Mutex::new(None) });
    let on_message =
        Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| receive(&worker, &event));
    scope.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    on_message.forget();
    post(&Response::Ready);
}

/// A worker that dies says so: the page would wait for ever otherwise.
fn report_crashes(scope: &DedicatedWorkerGlobalScope) {
    std::panic::set_hook(Box::new(|info| {
        console_error_panic_hook::hook(info);
        post(&Response::Crashed { message: format!("The computation broke down ({info}).") });
    }));
    let on_rejection = Closure::<dyn FnMut(PromiseRejectionEvent)>::new(|event: PromiseRejectionEvent| {
        let message = format!("The computation broke down ({:?}).", event.reason());
        post(&Response::Crashed { message });
    });
    // Without a listener the page's own `onerror` would still hear of errors, though not of rejected promises.
    let _ =
        scope.add_event_listener_with_callback("unhandledrejection", on_rejection.as_ref().unchecked_ref());
    on_rejection.forget();
}

fn receive(worker: &Rc<Worker>, event: &MessageEvent) {
    let parts = js_sys::Array::from(&event.data());
    let files: Vec<File> =
        js_sys::Array::from(&parts.get(1)).iter().filter_map(|file| file.dyn_into().ok()).collect();
    let Some(Ok(request)) = parts.get(0).as_string().map(|json| serde_json::from_str::<Request>(&json))
    else {
        post(&Response::Crashed {
            message: "The page and its worker are of different versions: reload the page.".to_owned(),
        });
        return;
    };
    match request {
        Request::Cancel { id } => worker.queue.cancel(id),
        Request::Analyze { id, model, base, text, settings } => {
            let place = worker.queue.enter(id);
            let worker = Rc::clone(worker);
            wasm_bindgen_futures::spawn_local(async move {
                let answer = worker.analyze(&place, model, files, &base, text, settings).await;
                match answer {
                    Some(response) => post(&response),
                    None if worker.queue.was_cancelled(id) => post(&Response::Cancelled { id }),
                    // Replaced by a newer request, which will answer.
                    None => {}
                }
            });
        }
    }
}

impl Worker {
    /// The answer, or `None` where the request was stopped or replaced.
    async fn analyze(
        &self,
        place: &Place,
        model: ModelSource,
        files: Vec<File>,
        base: &str,
        text: String,
        settings: Settings,
    ) -> Option<Response> {
        // Waits until the request before this one has noticed that it is replaced.
        let mut session = self.session.lock().await;
        if !place.is_current() {
            return None;
        }
        let answer = analyze(&mut session, place, model, files, base, text, settings).await;
        match answer {
            Ok(response) => Some(response),
            Err(error) if error.is_cancelled() => None,
            Err(error) => Some(Response::Failed { id: place.id(), message: error.to_string() }),
        }
    }
}

async fn analyze(
    session: &mut Option<(SessionKey, Session)>,
    place: &Place,
    model: ModelSource,
    files: Vec<File>,
    base: &str,
    text: String,
    settings: Settings,
) -> Result<Response, AnalysisError> {
    let identity = |file: &File| (file.name(), file.size() as u64, file.last_modified() as i64);
    let key = (model, files.iter().map(identity).collect());
    if session.as_ref().is_none_or(|(loaded, _)| *loaded != key) {
        // The old weights go before the new ones come.
        *session = None;
        let opened = open(place, &key.0, files, base).await?;
        *session = Some((key, Session::new(opened)));
    }
    let Some((_, session)) = session else { return Err(crate::watch::Cancelled.into()) };
    let report = session.analyze(&Input::Text(text), &settings, place).await?;
    Ok(Response::Done { id: place.id(), report: Box::new(report) })
}

async fn open(
    place: &Place,
    model: &ModelSource,
    files: Vec<File>,
    base: &str,
) -> Result<Model, AnalysisError> {
    let source = match model {
        ModelSource::Bundled(name) => {
            let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
            if name.is_empty() || name.starts_with('.') || !name.chars().all(plain) {
                let file = MODEL_FILES[0].to_owned();
                let error = SourceError::Missing { file, place: format!("models/{name}"), advice: "" };
                return Err(model_error(error).into());
            }
            let address = format!("{base}models/{name}/");
            match fetch_folder(name, &address, &MODEL_FILES, place).await {
                Ok(source) => source,
                Err(FetchError::Source(error)) => return Err(model_error(error).into()),
                Err(FetchError::Cancelled(error)) => return Err(error.into()),
            }
        }
        ModelSource::Local(name) => Source::local(name, LocalFiles::new(files)),
    };
    Ok(Model::open(source, place).await?)
}

fn model_error(error: SourceError) -> ModelError {
    CheckpointError::from(error).into()
}

thread_local! {
    static SCOPE: RefCell<Option<DedicatedWorkerGlobalScope>> = const { RefCell::new(None) };
}

fn post(response: &Response) {
    let json = serde_json::to_string(response).unwrap_or_else(|error| {
        format!(r#"{{"type":"crashed","message":"The answer could not be written ({error})."}}"#)
    });
    SCOPE.with(|scope| {
        let mut scope = scope.borrow_mut();
        if scope.is_none() {
            *scope = js_sys::global().dyn_into().ok();
        }
        if let Some(scope) = scope.as_ref() {
            // A page that is gone does not listen.
            let _ = scope.post_message(&JsValue::from_str(&json));
        }
    });
}
