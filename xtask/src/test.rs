//! `cargo xtask test`: everything that CI checks, cheapest first.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};

use anyhow::{Context, Result, bail};

use crate::{
    browser::Browser,
    build::build_with,
    counts::Counts,
    process::{cargo, run, run_and_look},
    toolchain::{WASM, add_checkers, add_wasm_target},
    tools::Tools,
};

/// How page and worker are compiled, here and by trunk (see `index.html`): checks, tests and the release build
/// then share what they compiled.
const PAGE: [&str; 7] =
    ["--target", WASM, "--no-default-features", "--features", "page", "--profile", "page"];
const WORKER: [&str; 7] =
    ["--target", WASM, "--no-default-features", "--features", "worker", "--profile", "worker"];

/// Runs all parts and stops at the first that fails. The last line has the counts of all tests.
pub fn test(root: &Path) -> Result<()> {
    let start = Instant::now();
    let mut counts = Counts::default();
    let outcome = parts(root, &mut counts);
    if outcome.is_ok() {
        println!("\nAll parts passed in {}.", elapsed(start));
    }
    println!("{counts}");
    outcome
}

fn parts(root: &Path, counts: &mut Counts) -> Result<()> {
    part("formatting", || {
        add_checkers(root)?;
        run(cargo(root).args(["fmt", "--all", "--check"]), "run `cargo fmt --all`.")
    })?;
    part("clippy, native", || clippy(root, &["--workspace", "--all-targets"], &[]))?;
    part("clippy, page in wasm", || {
        add_wasm_target()?;
        clippy(root, &PAGE, &["--lib", "--bin", "page"])
    })?;
    part("clippy, worker in wasm", || clippy(root, &WORKER, &["--lib", "--bin", "worker"]))?;
    part("tests, native", || count(cargo(root).args(["test", "--workspace", "--no-fail-fast"]), counts))?;
    let (tools, browser) = part("tools and browser", || Ok((Tools::ready(root)?, Browser::ready()?)))?;
    part("tests, wasm in Chromium", || wasm_tests(root, &tools, &browser, counts))?;
    let dist = part("release build", || build_with(root, &tools))?;
    part("tests, page in Chromium", || page_tests(root, &dist, &browser, counts))
}

fn part<T>(name: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    println!("\n=== {name} ===");
    let start = Instant::now();
    let outcome = work();
    let verdict = if outcome.is_ok() { "passed" } else { "failed" };
    println!("--- {name}: {verdict} after {}", elapsed(start));
    outcome
}

fn elapsed(start: Instant) -> String {
    let seconds = start.elapsed().as_secs_f64();
    if seconds < 60.0 { format!("{seconds:.1} s") } else { format!("{:.1} min", seconds / 60.0) }
}

fn clippy(root: &Path, selection: &[&str], targets: &[&str]) -> Result<()> {
    let mut command = cargo(root);
    command.arg("clippy").args(selection).args(targets).args(["--", "-D", "warnings"]);
    run(&mut command, "what is wrong is said above.")
}

fn wasm_tests(root: &Path, tools: &Tools, browser: &Browser, counts: &mut Counts) -> Result<()> {
    let tests = wasm_test_names(root)?;
    if tests.is_empty() {
        println!("There are no tests/wasm_*.rs.");
        return Ok(());
    }
    let mut command = cargo(root);
    command.arg("test").args(WORKER).arg("--no-fail-fast");
    for test in &tests {
        command.args(["--test", test]);
    }
    command.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER", tools.test_runner());
    command.env("CHROMEDRIVER", &browser.chromedriver);
    // Twenty seconds, the default, are short for a busy machine of one core.
    command.env("WASM_BINDGEN_TEST_TIMEOUT", "300");
    count(&mut command, counts)
}

/// The names of `tests/wasm_*.rs`, which run in the browser.
fn wasm_test_names(root: &Path) -> Result<Vec<String>> {
    let mut names: Vec<String> = fs::read_dir(root.join("tests"))
        .context("The folder tests is missing; run `git restore tests`.")?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter_map(|name| name.strip_suffix(".rs").map(str::to_owned))
        .filter(|name| name.starts_with("wasm_"))
        .collect();
    names.sort();
    Ok(names)
}

fn page_tests(root: &Path, dist: &PathBuf, browser: &Browser, counts: &mut Counts) -> Result<()> {
    if !root.join("tests/page.rs").is_file() {
        println!("There is no tests/page.rs.");
        return Ok(());
    }
    let mut command = cargo(root);
    // `--workspace`, as the native tests: features are then resolved alike and nothing is compiled twice.
    command.args(["test", "--workspace", "--test", "page", "--", "--ignored"]);
    command.env("EIGENTILT_DIST", dist);
    command.env("CHROMIUM", &browser.chromium);
    command.env("CHROMEDRIVER", &browser.chromedriver);
    count(&mut command, counts)
}

fn count(command: &mut Command, counts: &mut Counts) -> Result<()> {
    let succeeded = run_and_look(command, |line| {
        if let Some(found) = Counts::in_line(line) {
            *counts += found;
        }
    })?;
    if !succeeded {
        bail!("Tests failed or could not be compiled; which and why is said above.");
    }
    Ok(())
}
