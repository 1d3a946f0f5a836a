//! The native command as a script uses it.
// A test that cannot go on has failed; that is what these do.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;
mod hub_server;

use assert_cmd::Command;
use hub_server::Hub;
use serde_json::Value;

fn eigentilt(arguments: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("eigentilt"));
    command.current_dir(env!("CARGO_MANIFEST_DIR")).args(arguments);
    command
}

fn output(arguments: &[&str]) -> String {
    String::from_utf8(eigentilt(arguments).assert().success().get_output().stdout.clone()).unwrap()
}

fn complaint(arguments: &[&str], code: i32) -> String {
    String::from_utf8(eigentilt(arguments).assert().code(code).get_output().stderr.clone()).unwrap()
}

const MODEL: &str = "tests/fixtures/gpt2-tiny";

#[test]
fn analyze_writes_json_with_the_names_of_the_reference_values() {
    let report: Value =
        serde_json::from_str(&output(&["analyze", MODEL, "--text", "The golden bird", "--json", "-"]))
            .unwrap();
    assert_eq!(report["arch"], "gpt2");
    assert_eq!(report["layers"].as_array().unwrap().len(), 4);
    let layer = &report["layers"][0];
    for key in ["eigenvalues", "gap_shifted_modulus", "align_before", "align_after", "gamma", "rho"] {
        assert!(!layer[key].is_null(), "{key}");
    }
    assert_eq!(layer["eigenvalues"][0].as_array().unwrap().len(), 2);
    assert_eq!(report["mean_pairwise_cosine"].as_array().unwrap().len(), 5);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("report.json");
    let ids: Vec<String> = report["ids"].as_array().unwrap().iter().map(ToString::to_string).collect();
    let silent = output(&["analyze", MODEL, "--ids", &ids.join(","), "--json", file.to_str().unwrap()]);
    assert_eq!(silent, "");
    let again: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    assert_eq!(again["layers"], report["layers"]);
}

#[test]
fn settings_reach_the_dynamics() {
    let run = |more: &[&str]| -> Value {
        let mut arguments =
            vec!["analyze", "tests/fixtures/albert-tiny", "--text", "The golden bird", "--json", "-"];
        arguments.extend(more);
        serde_json::from_str(&output(&arguments)).unwrap()
    };
    let plain = run(&[]);
    assert_eq!(run(&["--radius", "1", "--order", "shifted", "--eigenvalues", "6"]), plain);
    assert_ne!(run(&["--radius", "sqrt-d"])["mean_pairwise_cosine"], plain["mean_pairwise_cosine"]);
    assert_ne!(run(&["--biases"])["mean_pairwise_cosine"], plain["mean_pairwise_cosine"]);
    assert_eq!(run(&["--steps", "30"])["layers"].as_array().unwrap().len(), 30);
    let keys = |report: &Value, key: fn(f64, f64) -> f64| -> Vec<f64> {
        let pairs = report["layers"][0]["eigenvalues"].as_array().unwrap();
        pairs.iter().map(|p| key(p[0].as_f64().unwrap(), p[1].as_f64().unwrap())).collect()
    };
    let descends = |keys: &[f64]| keys.windows(2).all(|pair| pair[0] >= pair[1] - 1e-12);
    assert!(descends(&keys(&run(&["--order", "real"]), |re, _| re)));
    assert!(descends(&keys(&run(&["--order", "modulus"]), f64::hypot)));
    let three = run(&["--eigenvalues", "3"])["layers"][0]["eigenvalues"].as_array().unwrap().len();
    assert!((3..=4).contains(&three));
}

#[test]
fn tables_are_readable() {
    let table = output(&["analyze", MODEL, "--text", "The golden bird"]);
    assert!(table.starts_with("tests/fixtures/gpt2-tiny (gpt2): width 48, 3 heads, 4 layers"), "{table}");
    assert_eq!(table.lines().filter(|line| line.contains("->")).count(), 4);
    let forward = output(&["forward", MODEL, "--text", "The golden bird"]);
    assert_eq!(forward.lines().count(), 8, "{forward}");
}

#[test]
fn forward_writes_a_list_a_hidden_state() {
    let report: Value =
        serde_json::from_str(&output(&["forward", MODEL, "--ids", "3,4,5", "--json", "-"])).unwrap();
    assert_eq!(report["hidden_last_token_first8"].as_array().unwrap().len(), 5);
    assert_eq!(report["hidden_last_token_first8"][0].as_array().unwrap().len(), 8);
    assert_eq!(report["mean_pairwise_cosine"].as_array().unwrap().len(), 5);
}

#[test]
fn complaints_are_plain_sentences() {
    let missing = complaint(&["analyze", "no-such-folder", "--text", "a"], 1);
    assert!(missing.starts_with("eigentilt: config.json is missing in no-such-folder"), "{missing}");
    assert_eq!(missing.lines().count(), 1);
    let empty = complaint(&["analyze", MODEL, "--text", ""], 1);
    assert!(empty.contains("The text is empty"), "{empty}");
    let place = complaint(&["analyze", MODEL, "--text", "a", "--json", "no/such/folder.json"], 1);
    assert!(place.contains("no/such/folder.json could not be written"), "{place}");
    assert!(complaint(&["analyze", MODEL], 2).contains("--text"));
    assert!(complaint(&["analyze", MODEL, "--text", "a", "--ids", "1"], 2).contains("cannot be used with"));
    assert!(
        complaint(&["analyze", MODEL, "--text", "a", "--radius", "2"], 2).contains("choose one of 1, sqrt-d")
    );
    assert!(complaint(&["analyze", MODEL, "--ids", "1,x"], 2).contains("invalid"));
}

#[test]
fn a_repository_is_fetched_once() {
    let cache = tempfile::tempdir().unwrap();
    let hub = Hub::of_files(common::FAMILIES[1].files());
    let run = || {
        let mut command = eigentilt(&["analyze", "hub:some/model", "--text", "The golden bird"]);
        command.env("EIGENTILT_HUB", &hub.address).env("XDG_CACHE_HOME", cache.path());
        String::from_utf8(command.assert().success().get_output().stdout.clone()).unwrap()
    };
    let first = run();
    assert!(first.starts_with("hub:some/model (bert): width"), "{first}");
    assert!(first.contains("\nfetched 0."), "{first}");
    assert!(cache.path().join("eigentilt/store").is_dir());
    hub.stop();
    let second = run();
    assert!(second.contains("\nfetched 0.0 MB of 0."), "{second}");
    let body =
        |table: &str| table.lines().filter(|line| !line.starts_with("fetched")).map(str::to_owned).collect();
    let (first, second): (Vec<String>, Vec<String>) = (body(&first), body(&second));
    assert_eq!(first, second);
}

#[test]
fn a_token_is_sent_and_never_shown() {
    let cache = tempfile::tempdir().unwrap();
    let hub =
        Hub::of_files(common::FAMILIES[1].files()).with(|faults| faults.token = Some("right".to_owned()));
    let run = |token: &str| {
        let mut command = eigentilt(&["analyze", "hub:some/model", "--ids", "5,6"]);
        command.env("EIGENTILT_HUB", &hub.address).env("XDG_CACHE_HOME", cache.path());
        command.env("EIGENTILT_TOKEN", token).assert().get_output().clone()
    };
    let refused = String::from_utf8(run("guessed").stderr).unwrap();
    assert!(refused.contains("give your token") && !refused.contains("guessed"), "{refused}");
    let output = run("right");
    assert!(output.status.success() && !String::from_utf8_lossy(&output.stdout).contains("right"));
}

#[test]
fn names_that_are_no_address_are_refused() {
    let wrong = complaint(&["analyze", "hub:model", "--text", "a"], 1);
    assert!(wrong.starts_with("eigentilt: \"hub:model\" names no model"), "{wrong}");
}
