//! Files of the reader's disk, chosen or dropped.

use std::collections::BTreeMap;

use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{DataTransfer, DragEvent, File, FileList};

use super::words;
use crate::page::store::Store;

/// A dropped folder is looked into this deep.
const DEPTH: usize = 2;
/// More files of models than this are no model's folder.
const MOST: usize = 500;
/// More files and folders than this on one level are not looked at.
const MOST_ENTRIES: usize = 20_000;

/// The files of a list.
#[must_use]
pub fn of_list(list: Option<FileList>) -> Vec<File> {
    list.map(|list| (0..list.length()).filter_map(|at| list.get(at)).collect()).unwrap_or_default()
}

/// Opens the model among the files; says so where there is none.
pub fn open(store: Store, files: Vec<File>) -> bool {
    let found: Vec<_> = files.into_iter().map(|file| (path_of(&file), file)).collect();
    open_found(store, &found)
}

/// The same for files whose paths are known.
fn open_found(store: Store, found: &[(String, File)]) -> bool {
    let paths: Vec<&str> = found.iter().map(|(path, _)| path.as_str()).collect();
    let Some((folder, members)) = one_model(&paths) else {
        store.complain(words::NOT_A_MODEL);
        return false;
    };
    let name = if folder.is_empty() { words::YOUR_FILES } else { folder };
    let name = name.chars().filter(|c| !c.is_control()).take(60).collect();
    let files = members.iter().filter_map(|&at| found.get(at)).map(|(_, file)| file.clone()).collect();
    store.open_files(name, files);
    true
}

/// The folder of the one model among files with these paths, and which of them it consists of.
///
/// A folder often holds older checkpoints below it, whose files have the same names. They are never mixed: of all
/// folders the shallowest with a config.json counts, without any the shallowest with anything of a model.
fn one_model<'a>(paths: &[&'a str]) -> Option<(&'a str, Vec<usize>)> {
    let mut folders: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
    for (at, &path) in paths.iter().enumerate() {
        let path = path.trim_start_matches('/');
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        if belongs(name) {
            // Loose files may come from several folders: the first of a name stays.
            folders.entry(folder).or_default().entry(name).or_insert(at);
        }
    }
    let depth = |folder: &str| folder.split('/').filter(|part| !part.is_empty()).count();
    let (folder, members) = folders
        .into_iter()
        .min_by_key(|(folder, members)| (!members.contains_key("config.json"), depth(folder)))?;
    Some((folder, members.into_values().collect()))
}

/// Whether a file of this name is one that a model consists of.
fn belongs(name: &str) -> bool {
    let extension = std::path::Path::new(name).extension().map(std::ffi::OsStr::to_ascii_lowercase);
    matches!(name, "config.json" | "tokenizer.json" | "model.safetensors.index.json")
        || extension.is_some_and(|extension| extension == "safetensors" || extension == "bin")
}

/// The path that a file was chosen with: below the chosen folder, or its name alone.
fn path_of(file: &File) -> String {
    let path = property(file, "webkitRelativePath").and_then(|path| path.as_string());
    path.filter(|path| !path.is_empty()).unwrap_or_else(|| file.name())
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
        let entries = entries_of(&dropped);
        if entries.iter().any(|entry| is(entry, "isDirectory")) {
            spawn_local(async move {
                open_found(store, &read_entries(entries).await);
            });
        } else {
            open(store, of_list(dropped.files()));
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

/// What was dropped, as the browser's file system entries; nothing where it has no such entries.
fn entries_of(dropped: &DataTransfer) -> Vec<JsValue> {
    let items = dropped.items();
    let entries = (0..items.length()).filter_map(|at| {
        let item = items.get(at)?;
        method(&item, "webkitGetAsEntry")?.call0(&item).ok().filter(JsValue::is_object)
    });
    entries.collect()
}

/// The files of models among dropped entries and in the folders below, with their paths, level by level: what lies
/// at the top is found however much lies below. What cannot be read is left out: the worker then names what is missing.
async fn read_entries(dropped: Vec<JsValue>) -> Vec<(String, File)> {
    let mut found = Vec::new();
    let mut level = dropped;
    for depth in 0..=DEPTH {
        let mut below = Vec::new();
        for entry in level {
            let text =
                |name: &str| property(&entry, name).and_then(|text| text.as_string()).unwrap_or_default();
            if is(&entry, "isDirectory") {
                if depth < DEPTH {
                    list(&entry, &mut below).await;
                }
            } else if found.len() < MOST && belongs(&text("name")) {
                let file = ask(&entry, "file").await.and_then(|file| file.dyn_into::<File>().ok());
                found.extend(file.map(|file| (text("fullPath"), file)));
            }
        }
        level = below;
    }
    found
}

/// Adds what a dropped folder holds.
async fn list(folder: &JsValue, entries: &mut Vec<JsValue>) {
    let reader = method(folder, "createReader").and_then(|create| create.call0(folder).ok());
    let Some(reader) = reader else { return };
    // A reader gives a part of the entries at a time, and an empty list at the end.
    while let Some(part) =
        ask(&reader, "readEntries").await.and_then(|list| list.dyn_into::<js_sys::Array>().ok())
    {
        if part.length() == 0 || entries.len() > MOST_ENTRIES {
            return;
        }
        entries.extend(part.iter());
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

/// Whether a property says yes.
fn is(target: &JsValue, name: &str) -> bool {
    property(target, name).and_then(|answer| answer.as_bool()) == Some(true)
}

fn method(target: &JsValue, name: &str) -> Option<js_sys::Function> {
    property(target, name)?.dyn_into().ok()
}

#[cfg(test)]
mod tests {
    use super::{belongs, one_model};

    #[test]
    fn only_a_models_files_are_sent() {
        let belonging =
            ["config.json", "tokenizer.json", "model.safetensors", "model-00001-of-00002.SAFETENSORS"];
        assert!(belonging.into_iter().all(belongs));
        let foreign = ["README.md", "vocab.txt", "tokenizer_config.json", "photo.png", ""];
        assert!(!foreign.into_iter().any(belongs));
    }

    #[test]
    fn checkpoints_below_a_model_are_left_alone() {
        let paths = [
            "run/checkpoint-500/config.json",
            "run/checkpoint-500/model.safetensors",
            "run/model.safetensors",
            "run/README.md",
            "run/config.json",
            "run/tokenizer.json",
            "run/checkpoint-900/model.safetensors",
        ];
        assert_eq!(one_model(&paths), Some(("run", vec![4, 2, 5])));
    }

    #[test]
    fn the_shallowest_folder_with_a_configuration_counts() {
        let nested =
            ["/hub/tokenizer.json", "/hub/b/c/config.json", "/hub/b/config.json", "/hub/b/model.safetensors"];
        assert_eq!(one_model(&nested), Some(("hub/b", vec![2, 3])));
        let siblings = ["run/b/config.json", "run/a/config.json", "run/a/model.safetensors"];
        assert_eq!(one_model(&siblings), Some(("run/a", vec![1, 2])), "the first by name, in whatever order");
        let without = ["run/old/model.safetensors", "run/tokenizer.json"];
        assert_eq!(one_model(&without), Some(("run", vec![1])));
    }

    #[test]
    fn loose_files_are_one_model_and_the_first_of_a_name_stays() {
        let loose = ["model.safetensors", "config.json", "config.json", "notes.txt"];
        assert_eq!(one_model(&loose), Some(("", vec![1, 0])));
        assert_eq!(one_model(&["run/notes.txt", ""]), None);
        assert_eq!(one_model(&[]), None);
    }
}
