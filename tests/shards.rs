//! A checkpoint in several files gives what the same checkpoint in one file gives, from a folder and from a host.
// A test that cannot go on has failed; that is what these do.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;
mod hub_server;

use std::collections::BTreeMap;

use common::FAMILIES;
use eigentilt::{
    analysis::Session,
    models::{Model, tokenizer::Input},
    report::Report,
    settings::Settings,
    source::{RemoteOptions, Source, address::Address},
    watch::Unwatched,
};
use hub_server::Hub;
use pollster::block_on;
use safetensors::SafeTensors;

type Files = BTreeMap<String, Vec<u8>>;

fn analyze(source: Source) -> Result<Report, String> {
    block_on(async {
        let model = Model::open(source, &Unwatched).await.map_err(|error| error.to_string())?;
        let input = Input::Ids(vec![5, 9, 400, 9]);
        let report = Session::new(model).analyze(&input, &Settings::default(), &Unwatched).await;
        report.map_err(|error| error.to_string())
    })
}

/// The fixture's weights, dealt out to two files.
fn sharded(files: &Files) -> Files {
    let mut files = files.clone();
    let whole = files.remove("model.safetensors").unwrap();
    let tensors = SafeTensors::deserialize(&whole).unwrap();
    let mut map = serde_json::Map::new();
    for part in 0..2 {
        let name = format!("model-0000{}-of-00002.safetensors", part + 1);
        let views: Vec<_> =
            tensors.iter().enumerate().filter(|(k, _)| k % 2 == part).map(|(_, view)| view).collect();
        for (tensor, _) in &views {
            map.insert((*tensor).to_owned(), name.clone().into());
        }
        files.insert(name, safetensors::serialize(views, None).unwrap());
    }
    let index = serde_json::json!({ "metadata": {}, "weight_map": map });
    files.insert("model.safetensors.index.json".to_owned(), serde_json::to_vec(&index).unwrap());
    files
}

#[test]
fn shards_are_put_together() {
    for fixture in &FAMILIES {
        let files = fixture.files();
        let whole = analyze(Source::memory("m", files.clone())).unwrap();
        assert_eq!(analyze(Source::memory("m", sharded(&files))).unwrap(), whole, "{}", fixture.name);
    }
}

#[test]
fn shards_on_a_host_are_fetched_once() {
    let files = sharded(&FAMILIES[1].files());
    let whole: u64 =
        files.iter().filter(|(name, _)| name.ends_with(".safetensors")).map(|(_, b)| b.len() as u64).sum();
    let hub = Hub::of_files(files.clone());
    let folder = tempfile::tempdir().unwrap();
    let source = || {
        let options = RemoteOptions { store: Some(folder.path().to_owned()), ..RemoteOptions::default() };
        Source::remote(Address::parse("hub:some/model", &hub.address).unwrap(), options)
    };
    let first = analyze(source()).unwrap();
    let transfer = first.transfer.unwrap();
    assert!(transfer.whole == whole && transfer.fetched > 0, "{transfer:?}");
    assert_eq!(first.layers, analyze(Source::memory("m", files)).unwrap().layers);
    hub.forget_seen();
    hub.stop();
    assert_eq!(analyze(source()).unwrap().layers, first.layers);
    assert!(hub.seen().is_empty());
}

#[test]
fn a_foolish_index_is_refused() {
    let mut files = sharded(&FAMILIES[2].files());
    let index = br#"{"weight_map":{"a":"../secret.safetensors"}}"#.to_vec();
    files.insert("model.safetensors.index.json".to_owned(), index);
    assert!(analyze(Source::memory("m", files.clone())).unwrap_err().contains("not the plain name"));
    files.insert(
        "model.safetensors.index.json".to_owned(),
        br#"{"weight_map":{"a":"gone.safetensors"}}"#.to_vec(),
    );
    assert!(analyze(Source::memory("m", files)).unwrap_err().starts_with("gone.safetensors is missing"));
}
