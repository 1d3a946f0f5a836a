//! The built page end to end: what a reader does, and whether the page's numbers are the command's.
//!
//! `cargo xtask test` builds the page and runs this; by itself it needs `EIGENTILT_DIST`.
#![cfg(not(target_arch = "wasm32"))]
// A test that cannot go on has failed; that is what these do.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod browser;

use std::{fs, path::Path, time::Duration};

use browser::{Browser, dist};
use eigentilt::{
    analysis::Session,
    models::{Model, tokenizer::Input},
    report::Report,
    settings::{Radius, Settings},
    source::Source,
    watch::Unwatched,
};
use pollster::block_on;
use thirtyfour::By;
use xtask::static_files::StaticFiles;

const EXAMPLE: &str = "Once upon a time there was a little girl who lived in a village near the forest.";

/// The command's report on a bundled model.
fn report(model: &str, text: &str, settings: &Settings) -> Report {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("public/models").join(model);
    let mut session = Session::new(block_on(Model::open(Source::folder(folder), &Unwatched)).unwrap());
    block_on(session.analyze(&Input::Text(text.to_owned()), settings, &Unwatched)).unwrap()
}

/// Waits until the table beside the main picture holds the report's alignments to its four digits.
async fn shows(browser: &Browser, report: &Report) {
    // A page that still computes holds the numbers of the report before; they are read again until they agree.
    let mut difference = String::new();
    for _ in 0..200 {
        match disagreement(&browser.table("alignment").await, report) {
            None => return,
            Some(found) => difference = found,
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("the page does not come to show the command's numbers: {difference}");
}

/// The first place where the table is not the report's.
fn disagreement(rows: &[Vec<String>], report: &Report) -> Option<String> {
    let expected = (report.layers.len() * (report.ids.len() + 1)).min(1000);
    if rows.len() != expected {
        return Some(format!("{} rows in place of {expected}", rows.len()));
    }
    for row in rows {
        // The row of the tokens' mean has no position.
        let Ok(token) = row[1].parse::<usize>() else { continue };
        let layer = row[0].parse().ok().and_then(|index: usize| report.layers.get(index));
        let values = layer.and_then(|l| Some([*l.align_before.get(token)?, *l.align_after.get(token)?]));
        let Some(values) = values else { return Some(format!("{row:?} is of another report")) };
        for (cell, value) in row[3..].iter().zip(values) {
            let shown: f64 = cell.parse().unwrap();
            // Four digits are shown, and products are summed in another order in the browser.
            if (shown - value).abs() > 1e-4 + value * 1e-3 {
                return Some(format!("{row:?}: {shown} is not {value}"));
            }
        }
    }
    None
}

#[tokio::test]
#[ignore = "needs the built page: run cargo xtask test"]
async fn the_first_picture_comes_by_itself_and_is_true() {
    let server = StaticFiles::start(&dist(), 0).unwrap();
    let browser = Browser::open(1280, 900).await;
    browser.driver.goto(server.url()).await.unwrap();
    browser.settled().await;
    for name in ["alignment", "consensus", "gaps", "steps", "spectrum"] {
        assert!(browser.colours(name).await > 4, "the picture {name} is blank");
    }
    let expected = report("albert-tales", EXAMPLE, &Settings::default());
    shows(&browser, &expected).await;
    let consensus = browser.table("consensus").await;
    assert_eq!(consensus.len(), expected.mean_pairwise_cosine.len());
    for (row, value) in consensus.iter().zip(&expected.mean_pairwise_cosine) {
        assert!((row[1].parse::<f64>().unwrap() - value).abs() < 1e-3, "{row:?}");
    }
    let verdict = browser.text("[data-part=verdict] h2").await;
    assert!(verdict.contains("12 layers"), "{verdict}");
    assert_eq!(browser.errors().await.unwrap(), Vec::<String>::new());
    browser.driver.clone().quit().await.unwrap();
}

#[tokio::test]
#[ignore = "needs the built page: run cargo xtask test"]
async fn text_model_and_settings_change_the_picture_and_the_link_brings_them_back() {
    let server = StaticFiles::start(&dist(), 0).unwrap();
    let browser = Browser::open(1280, 900).await;
    browser.driver.goto(server.url()).await.unwrap();
    browser.settled().await;

    let text = "The golden bird sat upon the apple tree.";
    browser.write_text(text).await;
    shows(&browser, &report("albert-tales", text, &Settings::default())).await;
    browser.choose("model", "gpt2-tales").await;
    shows(&browser, &report("gpt2-tales", text, &Settings::default())).await;
    let settings = Settings { radius: Radius::SqrtD, ..Settings::default() };
    browser.pick("radius", "sqrt-d").await;
    let expected = report("gpt2-tales", text, &settings);
    shows(&browser, &expected).await;
    browser.settled().await;

    let link = browser.driver.current_url().await.unwrap();
    assert!(link.as_str().contains("gpt2-tales") && link.as_str().contains("sqrt-d"), "{link}");
    let first = browser.text("[data-part=verdict]").await;
    let window = browser.driver.new_window().await.unwrap();
    browser.driver.switch_to_window(window).await.unwrap();
    browser.driver.goto(link.as_str()).await.unwrap();
    browser.settled().await;
    shows(&browser, &expected).await;
    assert_eq!(browser.text("[data-part=verdict]").await, first);
    let field = "return document.querySelector('textarea[name=\"text\"]').value";
    assert_eq!(browser.run(field, vec![]).await, text);

    // Reload keeps the state; back takes the last discrete change away again.
    browser.driver.refresh().await.unwrap();
    browser.settled().await;
    shows(&browser, &expected).await;
    browser.choose("model", "albert-tales").await;
    shows(&browser, &report("albert-tales", text, &settings)).await;
    browser.driver.back().await.unwrap();
    shows(&browser, &expected).await;
    browser.driver.clone().quit().await.unwrap();
}

#[tokio::test]
#[ignore = "needs the built page: run cargo xtask test"]
async fn a_broken_file_is_answered_in_words_and_the_picture_stays() {
    let server = StaticFiles::start(&dist(), 0).unwrap();
    let browser = Browser::open(1280, 900).await;
    browser.driver.goto(server.url()).await.unwrap();
    browser.settled().await;

    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/gpt2-tiny");
    let folder = tempfile::tempdir().unwrap();
    let names = ["config.json", "model.safetensors", "tokenizer.json"];
    for name in names {
        fs::copy(fixture.join(name), folder.path().join(name)).unwrap();
    }
    let weights = folder.path().join("model.safetensors");
    let whole = fs::read(&weights).unwrap();
    fs::write(&weights, &whole[..whole.len() / 2]).unwrap();
    let choose = async || {
        let paths: Vec<String> =
            names.iter().map(|name| folder.path().join(name).display().to_string()).collect();
        let input = browser.driver.find(By::Css("input[name=files]")).await.unwrap();
        input.send_keys(paths.join("\n")).await.unwrap();
    };
    // A reader opens the panel from the list of models.
    browser.choose("model", "disk").await;
    choose().await;
    let alert = "return document.querySelector('.problem:not([hidden])')?.innerText ?? ''";
    let sentence = browser.wait("a sentence on the broken file", alert, vec![]).await;
    let sentence = sentence.as_str().unwrap();
    assert!(sentence.contains("model.safetensors") && sentence.contains("cut off"), "{sentence}");
    assert!(browser.colours("alignment").await > 4, "the last good picture is gone");
    shows(&browser, &report("albert-tales", EXAMPLE, &Settings::default())).await;

    // The whole files work, and the sentence goes.
    fs::write(&weights, &whole).unwrap();
    browser.choose("model", "disk").await;
    choose().await;
    let gone = "return document.querySelector('.problem').hidden";
    browser.wait("the sentence to go", gone, vec![]).await;
    browser.settled().await;
    let mut session = Session::new(block_on(Model::open(Source::folder(&fixture), &Unwatched)).unwrap());
    let input = Input::Text(EXAMPLE.to_owned());
    let expected = block_on(session.analyze(&input, &Settings::default(), &Unwatched)).unwrap();
    shows(&browser, &expected).await;
    browser.driver.clone().quit().await.unwrap();
}

#[tokio::test]
#[ignore = "needs the built page: run cargo xtask test"]
async fn it_works_from_a_sub_path_and_says_what_a_link_asked_in_vain() {
    let server = StaticFiles::start_under(&dist(), 0, "/a/lecture/").unwrap();
    let browser = Browser::open(390, 844).await;
    browser.driver.goto(format!("{}#v=1&steps=9999&order=sideways", server.url())).await.unwrap();
    browser.settled().await;
    shows(&browser, &report("albert-tales", EXAMPLE, &Settings::default())).await;
    let complaints = browser.text("[data-part=complaints]").await;
    assert!(complaints.contains("9999") || complaints.contains("9,999"), "{complaints}");
    assert!(complaints.contains("sideways"), "{complaints}");
    let sideways = "return document.documentElement.scrollWidth <= document.documentElement.clientWidth";
    assert_eq!(browser.run(sideways, vec![]).await, true);
    browser.driver.clone().quit().await.unwrap();
}

#[tokio::test]
#[ignore = "needs the built page: run cargo xtask test"]
async fn a_long_run_can_be_stopped_and_the_page_stays_alive() {
    let server = StaticFiles::start(&dist(), 0).unwrap();
    let browser = Browser::open(1280, 900).await;
    browser.driver.goto(server.url()).await.unwrap();
    browser.settled().await;
    let long = "the old king and the young queen went to the wide wood ".repeat(12);
    browser.write_text(&long).await;
    shows(&browser, &report("albert-tales", &long, &Settings::default())).await;
    assert_eq!(browser.table("consensus").await.len(), 13);
    browser.choose("steps", "500").await;
    // The button is pressed while the trajectory of the long run is under way.
    let stop = r#"
        const button = document.querySelector('[data-action="cancel"]');
        if (!button || !document.querySelector('.status').innerText.includes('trajectory')) return false;
        button.click();
        return true;
    "#;
    browser.wait("the trajectory of a long run", stop, vec![]).await;
    browser.settled().await;
    let said = browser.text(".status").await;
    assert!(said.contains("stopped"), "{said}");
    assert_eq!(browser.table("consensus").await.len(), 13, "the last picture that was finished stays");
    assert!(browser.colours("alignment").await > 4);
    browser.write_text("A bird sang.").await;
    browser.choose("steps", "30").await;
    let settings = Settings { steps: Some(30), ..Settings::default() };
    shows(&browser, &report("albert-tales", "A bird sang.", &settings)).await;
    browser.driver.clone().quit().await.unwrap();
}
