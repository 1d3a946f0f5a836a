//! Files of the reader's disk, chosen or dropped.

use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{DataTransfer, DragEvent, File, FileList};

use super::words;
use crate::page::store::Store;

/// A dropped folder is looked into this deep.
const DEPTH: usize = 2;
/// More files than this are no model's folder.
const MOST: usize = 500;

/// The files of a list.
#[must_use]
pub fn of_list(list: Option<FileList>) -> Vec<File> {
    list.map(|list| (0..list.length()).filter_map(|at| list.get(at)).collect()).unwrap_or_default()
}

/// Opens what belongs to a model among the files; says so where nothing does.
pub fn open(store: Store, files: Vec<File>) -> bool {
    let folder = files.first().and_then(folder_of);
    let files: Vec<File> = files.into_iter().filter(|file| belongs(&file.name())).collect();
    if files.is_empty() {
        store.complain(words::NOT_A_MODEL);
        return false;
    }
    let name = folder.unwrap_or_else(|| words::YOUR_FILES.to_owned());
    store.open_files(name.chars().filter(|c| !c.is_control()).take(60).collect(), files);
    true
}

/// Whether a file of this name is one that a model consists of.
fn belongs(name: &str) -> bool {
    let extension = std::path::Path::new(name).extension().map(std::ffi::OsStr::to_ascii_lowercase);
    matches!(name, "config.json" | "tokenizer.json" | "model.safetensors.index.json")
        || extension.is_some_and(|extension| extension == "safetensors" || extension == "bin")
}

/// The folder that a file was chosen with.
fn folder_of(file: &File) -> Option<String> {
    let path = js_sys::Reflect::get(file, &JsValue::from_str("webkitRelativePath")).ok()?.as_string()?;
    path.split_once('/').map(|(folder, _)| folder.to_owned()).filter(|folder| !folder.is_empty())
}

/// A surface over the page while files are dragged across it; they may be dropped anywhere.
#[component]
pub fn DropSurface() -> impl IntoView {
    let store = expect_context::<Store>();
    let over = RwSignal::new(false);
    window_event_listener(leptos::ev::dragover, move |event| {
        if carries_files(&event) {
            event.prevent_default();
            over.set(true);
        }
    });
    window_event_listener(leptos::ev::dragleave, move |event| {
        // Leaving for another element of the page is no leaving.
        if event.related_target().is_none() {
            over.set(false);
        }
    });
    window_event_listener(leptos::ev::drop, move |event| {
        over.set(false);
        let Some(dropped) = event.data_transfer().filter(|_| carries_files(&event)) else { return };
        event.prevent_default();
        let folders = folders_of(&dropped);
        let files = of_list(dropped.files());
        if folders.is_empty() {
            open(store, files);
        } else {
            spawn_local(async move {
                let mut found = Vec::new();
                for folder in &folders {
                    read_folder(folder, DEPTH, &mut found).await;
                }
                let name = folders.first().and_then(|folder| property(folder, "name")?.as_string());
                if let (Some(name), true) = (name, found.iter().any(|file| belongs(&file.name()))) {
                    found.retain(|file| belongs(&file.name()));
                    store.open_files(name, found);
                } else {
                    store.complain(words::NOT_A_MODEL);
                }
            });
        }
    });
    view! {
        <div class="drop-surface" hidden=move || !over.get() aria-hidden="true">
            <p>{words::DROP_HERE}</p>
        </div>
    }
}

fn carries_files(event: &DragEvent) -> bool {
    event.data_transfer().is_some_and(|data| data.types().includes(&JsValue::from_str("Files"), 0))
}

/// The folders among what was dropped, as the browser's file system entries.
fn folders_of(dropped: &DataTransfer) -> Vec<JsValue> {
    let items = dropped.items();
    let entries = (0..items.length()).filter_map(|at| {
        let item = items.get(at)?;
        let entry = method(&item, "webkitGetAsEntry")?.call0(&item).ok()?;
        property(&entry, "isDirectory")?.as_bool().filter(|folder| *folder).map(|_| entry)
    });
    entries.collect()
}

/// Reads a dropped folder's files. What cannot be read is left out: the worker then names the missing file.
async fn read_folder(folder: &JsValue, depth: usize, found: &mut Vec<File>) {
    let reader = method(folder, "createReader").and_then(|create| create.call0(folder).ok());
    let Some(reader) = reader else { return };
    // A reader gives a part of the entries at a time, and an empty list at the end.
    while let Some(entries) =
        ask(&reader, "readEntries").await.and_then(|list| list.dyn_into::<js_sys::Array>().ok())
    {
        if entries.length() == 0 || found.len() > MOST {
            return;
        }
        for entry in entries.iter() {
            let is_file = property(&entry, "isFile").and_then(|is_file| is_file.as_bool()) == Some(true);
            if is_file {
                found.extend(ask(&entry, "file").await.and_then(|file| file.dyn_into::<File>().ok()));
            } else if depth > 1 {
                Box::pin(read_folder(&entry, depth - 1, found)).await;
            }
        }
    }
}

/// Calls a method that answers through a callback.
async fn ask(target: &JsValue, name: &str) -> Option<JsValue> {
    let function = method(target, name)?;
    let promise = js_sys::Promise::new(&mut |resolve, reject| {
        if function.call2(target, &resolve, &reject).is_err() {
            let _rejected = reject.call0(&JsValue::UNDEFINED);
        }
    });
    JsFuture::from(promise).await.ok()
}

fn property(target: &JsValue, name: &str) -> Option<JsValue> {
    js_sys::Reflect::get(target, &JsValue::from_str(name)).ok().filter(|value| !value.is_undefined())
}

fn method(target: &JsValue, name: &str) -> Option<js_sys::Function> {
    property(target, name)?.dyn_into().ok()
}

#[cfg(test)]
mod tests {
    use super::belongs;

    #[test]
    fn only_a_models_files_are_sent() {
        let belonging =
            ["config.json", "tokenizer.json", "model.safetensors", "model-00001-of-00002.SAFETENSORS"];
        assert!(belonging.into_iter().all(belongs));
        let foreign = ["README.md", "vocab.txt", "tokenizer_config.json", "photo.png", ""];
        assert!(!foreign.into_iter().any(belongs));
    }
}
