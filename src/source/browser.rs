//! Bytes in the browser: files that the page ships, and files of the reader's disk.

use std::{collections::BTreeMap, future::Future, ops::Range, pin::pin};

use futures_util::future::{Either, join_all, select};
use gloo_timers::future::TimeoutFuture;
use js_sys::{ArrayBuffer, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{File, ReadableStreamDefaultReader, Response, WorkerGlobalScope};

use super::{Source, SourceError};
use crate::{
    protocol::{Progress, Stage},
    watch::{Cancelled, Watch},
};

/// How often, in milliseconds, a wait for the host looks whether it should end.
const GLANCE: u32 = 200;
/// How long, in milliseconds, a host may send nothing.
const SILENCE: u32 = 30_000;
/// Memory that is set aside on a header's word alone, in bytes.
const MAX_CAPACITY: u64 = 16 << 20;

/// Files that the reader chose or dropped, by name. They are read by slices, never whole.
#[derive(Clone, Debug, Default)]
pub struct LocalFiles(BTreeMap<String, File>);

impl LocalFiles {
    /// Takes the files by their own names; folders in front of a name do not count.
    #[must_use]
    pub fn new(files: impl IntoIterator<Item = File>) -> Self {
        Self(files.into_iter().map(|file| (file.name(), file)).collect())
    }

    pub(super) fn size(&self, file: &str) -> Option<u64> {
        self.0.get(file).map(|file| file.size() as u64)
    }

    pub(super) async fn read(&self, file: &str, range: Range<u64>) -> Result<Vec<u8>, String> {
        let file = self.0.get(file).ok_or("it is not among the files")?;
        let slice =
            file.slice_with_f64_and_f64(range.start as f64, range.end as f64).map_err(|e| words(&e))?;
        let buffer = JsFuture::from(slice.array_buffer()).await.map_err(|e| words(&e))?;
        Ok(Uint8Array::new(&buffer).to_vec())
    }
}

/// A failure, or a request to stop.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// The host did not give the file.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The reader asked to stop.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// Fetches `files` of the folder at `address` (ending in `/`) whole and keeps them in memory: meant for the
/// small models that the page ships. Progress is in bytes.
///
/// # Errors
/// [`SourceError`] where the host does not give a file, [`Cancelled`] where the watcher says so.
pub async fn fetch_folder(
    name: &str,
    address: &str,
    files: &[&str],
    watch: &impl Watch,
) -> Result<Source, FetchError> {
    let mut responses = Vec::new();
    let mut of = 0;
    // All requests go out before the first body is read.
    let started = join_all(files.iter().map(|file| start(format!("{address}{file}"))));
    let nothing = Progress { stage: Stage::Loading, done: 0, of: 0 };
    let started = match patiently(started, nothing, watch).await {
        Ok(started) => started,
        Err(stopped) => return Err(stopped.or_unreadable(files.first().unwrap_or(&""), address)),
    };
    for (file, response) in files.iter().zip(started) {
        let response = response.map_err(|reason| unreadable(file, address, reason))?;
        if response.status() == 404 {
            return Err(SourceError::Missing {
                file: (*file).to_owned(),
                place: address.to_owned(),
                advice: "",
            }
            .into());
        }
        if !response.ok() {
            let reason = format!("the host answered {}", response.status());
            return Err(unreadable(file, address, reason).into());
        }
        of += content_length(&response);
        responses.push((*file, response));
    }
    let mut done = 0;
    let mut contents = BTreeMap::new();
    for (file, response) in responses {
        let bytes = body(file, address, &response, &mut done, of, watch).await?;
        contents.insert(file.to_owned(), bytes);
    }
    Ok(Source::memory(name, contents))
}

/// Why waiting for a host ended.
enum Stopped {
    Cancelled(Cancelled),
    Silent,
}

impl Stopped {
    fn or_unreadable(self, file: &str, place: &str) -> FetchError {
        match self {
            Self::Cancelled(cancelled) => cancelled.into(),
            Self::Silent => {
                let reason = format!("the host sent nothing for {} seconds", SILENCE / 1000);
                unreadable(file, place, reason).into()
            }
        }
    }
}

/// Waits for `work`, but hears in between whether to stop, and gives up on a host that stays silent.
async fn patiently<F: Future>(work: F, progress: Progress, watch: &impl Watch) -> Result<F::Output, Stopped> {
    let mut work = pin!(work);
    let mut waited = 0;
    loop {
        match select(work.as_mut(), TimeoutFuture::new(GLANCE)).await {
            Either::Left((output, _)) => return Ok(output),
            Either::Right(_) => waited += GLANCE,
        }
        watch.report(progress).await.map_err(Stopped::Cancelled)?;
        if waited >= SILENCE {
            return Err(Stopped::Silent);
        }
    }
}

async fn start(address: String) -> Result<Response, String> {
    let scope: WorkerGlobalScope =
        js_sys::global().dyn_into().map_err(|_| "this code must run in a worker".to_owned())?;
    let response = JsFuture::from(scope.fetch_with_str(&address)).await.map_err(|e| words(&e))?;
    response.dyn_into().map_err(|_| "the browser gave no response".to_owned())
}

/// Length of the body; 0 where it is not said or is that of a compressed form.
fn content_length(response: &Response) -> u64 {
    let headers = response.headers();
    let compressed = headers.get("content-encoding").ok().flatten().is_some();
    let length = headers.get("content-length").ok().flatten().and_then(|text| text.parse().ok());
    if compressed { 0 } else { length.unwrap_or(0) }
}

async fn body(
    file: &str,
    address: &str,
    response: &Response,
    done: &mut u64,
    of: u64,
    watch: &impl Watch,
) -> Result<Vec<u8>, FetchError> {
    let failed = |error: &JsValue| unreadable(file, address, words(error));
    let Some(stream) = response.body() else {
        let buffer = response.array_buffer().map_err(|e| failed(&e))?;
        let buffer: ArrayBuffer = JsFuture::from(buffer).await.map_err(|e| failed(&e))?.unchecked_into();
        return Ok(Uint8Array::new(&buffer).to_vec());
    };
    let reader: ReadableStreamDefaultReader = stream.get_reader().unchecked_into();
    // A header may promise anything; larger bodies grow as they come.
    let mut bytes = Vec::with_capacity(content_length(response).min(MAX_CAPACITY) as usize);
    loop {
        let progress = Progress { stage: Stage::Loading, done: *done, of: of.max(*done) };
        let chunk = match patiently(JsFuture::from(reader.read()), progress, watch).await {
            Ok(chunk) => chunk.map_err(|e| failed(&e))?,
            Err(stopped) => {
                // The rest of the download is of no more use.
                let _ = reader.cancel();
                return Err(stopped.or_unreadable(file, address));
            }
        };
        let get = |key: &str| js_sys::Reflect::get(&chunk, &key.into()).map_err(|e| failed(&e));
        if get("done")?.is_truthy() {
            return Ok(bytes);
        }
        let chunk: Uint8Array = get("value")?.unchecked_into();
        let start = bytes.len();
        bytes.resize(start + chunk.length() as usize, 0);
        chunk.copy_to(&mut bytes[start..]);
        *done += u64::from(chunk.length());
        watch.report(Progress { stage: Stage::Loading, done: *done, of: of.max(*done) }).await?;
    }
}

fn unreadable(file: &str, place: &str, reason: String) -> SourceError {
    SourceError::Unreadable { file: file.to_owned(), place: place.to_owned(), reason }
}

/// A JavaScript error in words.
fn words(error: &JsValue) -> String {
    js_sys::Reflect::get(error, &"message".into())
        .ok()
        .and_then(|message| message.as_string())
        .unwrap_or_else(|| format!("{error:?}"))
}
