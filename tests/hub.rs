//! A model on a host: only what is needed is fetched, and whatever the host does ends in the model or in one
//! plain sentence.
// A test that cannot go on has failed; that is what these do.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;
mod hub_server;

use std::{path::PathBuf, time::Duration};

use common::FAMILIES;
use eigentilt::{
    analysis::Session,
    models::{Model, tokenizer::Input},
    report::Report,
    settings::Settings,
    source::{
        RemoteOptions, Source,
        address::{Address, Token},
    },
    watch::Unwatched,
};
use hub_server::{Faults, Hub, Seen};
use pollster::block_on;

/// A file of 500 kB, most of it outside what is fetched first.
const MODEL: &str = "gpt2-tiny";

fn serve(change: impl FnOnce(&mut Faults)) -> Hub {
    let fixture = FAMILIES.iter().find(|fixture| fixture.name == MODEL).unwrap();
    Hub::of_files(fixture.files()).with(change)
}

fn options() -> RemoteOptions {
    RemoteOptions {
        first_pause: Duration::from_millis(5),
        silence: Duration::from_secs(20),
        ..RemoteOptions::default()
    }
}

fn kept_in(folder: &tempfile::TempDir) -> RemoteOptions {
    RemoteOptions { store: Some(PathBuf::from(folder.path())), ..options() }
}

fn source(hub: &Hub, options: RemoteOptions) -> Source {
    Source::remote(Address::parse("hub:some/model", &hub.address).unwrap(), options)
}

fn analyze(source: Source) -> Result<Report, String> {
    block_on(async {
        let model = Model::open(source, &Unwatched).await.map_err(|error| error.to_string())?;
        let text = Input::Text("The golden bird".to_owned());
        let report = Session::new(model).analyze(&text, &Settings::default(), &Unwatched).await;
        report.map_err(|error| error.to_string())
    })
}

/// The same model from memory, without what only a host has.
fn expected() -> Report {
    let fixture = FAMILIES.iter().find(|fixture| fixture.name == MODEL).unwrap();
    analyze(Source::memory("hub:some/model", fixture.files())).unwrap()
}

fn arrives(hub: &Hub, options: RemoteOptions) -> Report {
    let report = analyze(source(hub, options)).unwrap();
    assert_eq!(Report { transfer: None, ..report.clone() }, expected());
    report
}

fn sentence(hub: &Hub) -> String {
    let sentence = analyze(source(hub, options())).unwrap_err();
    assert!(sentence.ends_with('.') && !sentence.contains('\n'), "{sentence}");
    assert!(sentence.contains("hub:some/model") && sentence.contains("model.safetensors"), "{sentence}");
    sentence
}

fn of_weights(hub: &Hub) -> Vec<Seen> {
    hub.seen().into_iter().filter(|seen| seen.path.ends_with("model.safetensors")).collect()
}

#[test]
fn only_what_is_needed_is_fetched_along_a_redirect() {
    let hub = serve(|_| ());
    let report = arrives(&hub, options());
    let transfer = report.transfer.unwrap();
    let sent: u64 = of_weights(&hub).iter().map(|seen| seen.sent).sum();
    assert_eq!(transfer.fetched, sent);
    assert!(transfer.fetched < transfer.whole, "{transfer:?}");
    // One redirect a file: the link serves until it expires.
    assert_eq!(of_weights(&hub).iter().filter(|seen| !seen.second_host).count(), 1);
}

#[test]
fn a_second_visit_makes_no_request() {
    let folder = tempfile::tempdir().unwrap();
    let hub = serve(|_| ());
    arrives(&hub, kept_in(&folder));
    hub.forget_seen();
    hub.stop();
    let report = arrives(&hub, kept_in(&folder));
    assert_eq!(report.transfer.unwrap().fetched, 0);
    assert!(hub.seen().is_empty(), "{:?}", hub.seen());
}

#[test]
fn a_store_that_takes_nothing_is_said_and_does_without() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "in the way").unwrap();
    let hub = serve(|_| ());
    let report = analyze(source(&hub, RemoteOptions { store: Some(file), ..options() })).unwrap();
    assert_eq!(report.layers, expected().layers);
    assert!(report.notes.iter().any(|note| note.contains("could not be kept")), "{:?}", report.notes);
}

#[test]
fn an_expired_link_is_resolved_again_once() {
    let hub = serve(|faults| faults.signature_uses = Some(2));
    arrives(&hub, options());
    assert!(of_weights(&hub).iter().filter(|seen| !seen.second_host).count() > 1);
    let hub = serve(|faults| faults.refuse_signatures = true);
    let refused = analyze(source(&hub, options())).unwrap_err();
    assert!(refused.contains("hub:some/model refuses to give config.json"), "{refused}");
    assert_eq!(hub.seen().len(), 4);
}

#[test]
fn a_host_that_ignores_ranges_is_read_as_far_as_needed() {
    for hide_length in [false, true] {
        let hub = serve(|faults| (faults.ignore_ranges, faults.hide_length) = (true, hide_length));
        let report = arrives(&hub, options());
        assert!(report.transfer.unwrap().fetched > 0);
        // Once to look, once for all layers, and once for the embedding.
        assert!(of_weights(&hub).iter().filter(|seen| seen.second_host).count() <= 3);
    }
    // A cut is mended by beginning again.
    let hub = serve(|faults| (faults.ignore_ranges, faults.cut) = (true, Some((1_000, 1))));
    arrives(&hub, options());
}

#[test]
fn a_cut_connection_is_taken_up_at_the_last_byte() {
    let hub = serve(|faults| faults.cut = Some((40_000, 2)));
    arrives(&hub, options());
    let hub = serve(|faults| (faults.direct, faults.cut) = (true, Some((1_000, 1_000))));
    assert!(sentence(&hub).contains("broke off again and again"));
    // No byte of a piece is fetched twice.
    let file = common_file(300_000);
    let hub = Hub::of_files(file.clone()).with(|faults| faults.direct = true);
    let source = source(&hub, options());
    assert_eq!(block_on(source.size("x.safetensors")).unwrap(), 300_000);
    hub.change(|faults| faults.cut = Some((50_000, 2)));
    let bytes = block_on(source.read("x.safetensors", 100_000..300_000)).unwrap();
    assert_eq!(bytes, file["x.safetensors"][100_000..]);
    let starts: Vec<u64> = hub.seen().iter().skip(1).map(|seen| seen.range.unwrap().0).collect();
    assert_eq!(starts, [100_000, 150_000, 200_000]);
}

fn common_file(length: usize) -> std::collections::BTreeMap<String, Vec<u8>> {
    let bytes = (0..length).map(|k| (k * k % 251) as u8).collect();
    std::iter::once(("x.safetensors".to_owned(), bytes)).collect()
}

#[test]
fn silence_is_not_waited_for() {
    let impatient = || RemoteOptions { silence: Duration::from_secs(1), ..options() };
    let hub = serve(|faults| faults.silence = Some((10_000, 1)));
    arrives(&hub, impatient());
    let hub = serve(|faults| faults.silence = Some((0, 1_000)));
    let silent = analyze(source(&hub, impatient())).unwrap_err();
    assert!(silent.contains("broke off again and again") && silent.contains("nothing came"), "{silent}");
}

#[test]
fn a_file_that_changes_is_not_mixed() {
    let folder = tempfile::tempdir().unwrap();
    let hub = serve(|faults| faults.change_after = Some(1));
    let changed = analyze(source(&hub, kept_in(&folder))).unwrap_err();
    assert!(changed.starts_with("model.safetensors has changed in hub:some/model"), "{changed}");
    // Trying again reads the new file.
    arrives(&hub, kept_in(&folder));
}

#[test]
fn wrong_answers_are_not_believed() {
    let hub = serve(|faults| faults.shift = true);
    assert!(sentence(&hub).contains("wrong answers"));
    let hub = serve(|faults| faults.longer = 9);
    let longer = analyze(source(&hub, options())).unwrap_err();
    assert!(longer.contains("cut off or damaged"), "{longer}");
}

#[test]
fn statuses_become_sentences() {
    for (status, words) in [
        (401, "give your token"),
        (403, "refuses to give"),
        (404, "model.safetensors is missing in hub:some/model"),
        (416, "wrong answers"),
        (418, "answered 418"),
    ] {
        let hub = serve(|faults| faults.status = Some((status, 1_000, None)));
        let sentence = sentence(&hub);
        assert!(sentence.contains(words), "{status}: {sentence}");
    }
    for (status, words) in [(429, "fewer requests"), (500, "answered 500"), (503, "answered 503")] {
        let hub = serve(|faults| faults.status = Some((status, 1_000, None)));
        let sentence = sentence(&hub);
        assert!(sentence.contains(words), "{status}: {sentence}");
        assert_eq!(of_weights(&hub).iter().filter(|seen| seen.second_host).count(), 3);
        // Two of them are waited for.
        arrives(&serve(|faults| faults.status = Some((status, 2, Some(0)))), options());
    }
}

#[test]
fn no_network_is_said() {
    let hub = serve(|_| ());
    hub.stop();
    let none = analyze(source(&hub, options())).unwrap_err();
    assert!(none.contains("config.json could not be fetched from hub:some/model"), "{none}");
    assert!(none.contains("check the network"), "{none}");
}

#[test]
fn a_token_stays_with_the_hub() {
    let token = || Token::new("hf_secret");
    let hub = serve(|faults| faults.token = Some("hf_secret".to_owned()));
    assert!(analyze(source(&hub, options())).unwrap_err().contains("give your token"));
    hub.forget_seen();
    arrives(&hub, RemoteOptions { token: token(), ..options() });
    for seen in hub.seen() {
        assert_eq!(seen.authorization.is_some(), !seen.second_host, "{seen:?}");
    }
    // A link is not the hub.
    hub.forget_seen();
    let link = Address::parse(&format!("{}/folder/", hub.address), "https://huggingface.co").unwrap();
    assert!(analyze(Source::remote(link, RemoteOptions { token: token(), ..options() })).is_err());
    assert!(hub.seen().iter().all(|seen| seen.authorization.is_none()));
}

#[test]
fn a_link_to_a_folder_is_read() {
    let hub = serve(|faults| faults.direct = true);
    let link = Address::parse(&format!("{}/any/folder", hub.address), "https://huggingface.co").unwrap();
    let report = analyze(Source::remote(link, options())).unwrap();
    assert_eq!(report.layers, expected().layers);
}

#[test]
fn only_a_pickle_is_said() {
    let mut files = FAMILIES[1].files();
    files.remove("model.safetensors");
    files.insert("pytorch_model.bin".to_owned(), vec![0]);
    let pickled = analyze(source(&Hub::of_files(files), options())).unwrap_err();
    assert!(pickled.contains("a pickle"), "{pickled}");
}
