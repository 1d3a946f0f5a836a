//! The training command on tiny models: gradients, determinism, continuing, and bad input.
#![cfg(feature = "command")]

use std::path::Path;

use clap::Parser;
use eigentilt::training::{
    Family, Gradients, Model, Parameters, Pass, Random, Settings, State, TrainArguments, TrainError,
    gradients, kernels, mean_loss, model, rate_at, run_with,
};

type Outcome = Result<(), Box<dyn std::error::Error>>;

#[derive(Parser)]
struct Command {
    #[command(flatten)]
    train: TrainArguments,
}

/// A text of a few thousand words whose next word depends on the last ones.
fn text() -> String {
    let mut random = Random::new(3, 0);
    let subjects = ["the old king", "a little girl", "the grey wolf", "her brother", "the miller's son"];
    let verbs = ["walked into", "looked for", "came out of", "dreamed of", "never found"];
    let places = ["the dark forest", "a golden castle", "the deep well", "his mother's house", "the sea"];
    let mut text = String::new();
    for sentence in 0..900 {
        let mut pick = |words: &[&'static str]| words[random.below(words.len())];
        let end = if sentence % 5 == 4 { "\n\n" } else { " " };
        text.extend([format!(
            "{} {} {}, and {} too.{end}",
            pick(&subjects),
            pick(&verbs),
            pick(&places),
            pick(&subjects)
        )]);
    }
    text
}

fn arguments(
    family: &str,
    folder: &Path,
    more: &[&str],
) -> Result<TrainArguments, Box<dyn std::error::Error>> {
    let corpus = folder.join("text.txt");
    if !corpus.exists() {
        std::fs::write(&corpus, text())?;
    }
    let (corpus, out) = (corpus.display().to_string(), folder.join("out").display().to_string());
    let mut line = vec!["train", family, "--corpus", &corpus, "--out", &out];
    let vocabulary = if family == "gpt2" { "300" } else { "64" };
    for (option, value) in [
        ("--vocabulary", vocabulary),
        ("--width", "32"),
        ("--heads", "4"),
        ("--depth", "2"),
        ("--embedding", "16"),
        ("--positions", "32"),
        ("--length", "16"),
        ("--batch", "4"),
        ("--held-out", "400"),
        ("--warm-up", "5"),
        ("--rate", "0.01"),
        ("--every", "10"),
        ("--steps", "30"),
    ] {
        if !more.contains(&option) {
            line.extend([option, value]);
        }
    }
    line.extend(more);
    Ok(Command::try_parse_from(line)?.train)
}

fn train(family: &str, folder: &Path, more: &[&str]) -> Result<State, Box<dyn std::error::Error>> {
    Ok(run_with(&arguments(family, folder, more)?, &mut |_| ())?)
}

/// The message of the error that a run must end with.
fn refused(family: &str, folder: &Path, more: &[&str]) -> Result<TrainError, Box<dyn std::error::Error>> {
    match run_with(&arguments(family, folder, more)?, &mut |_| ()) {
        Ok(_) => Err("the run should have been refused".into()),
        Err(error) => Ok(error),
    }
}

fn training_losses(state: &State) -> Vec<f64> {
    state.history.iter().filter_map(|logged| logged.training_loss).collect()
}

#[test]
fn thirty_steps_lower_the_loss_and_leave_a_folder_to_load() -> Outcome {
    for family in ["albert", "gpt2"] {
        let folder = tempfile::tempdir()?;
        let state = train(family, folder.path(), &["--checkpoints", "0,10"])?;
        let first = state.history[0].validation_loss;
        let last = state.history[state.history.len() - 1].validation_loss;
        assert!(last < first - 0.5, "{family}: the loss went from {first} to {last}");
        let out = folder.path().join("out");
        for file in ["model.safetensors", "step-0/model.safetensors", "step-10/model.safetensors"] {
            let bytes = std::fs::read(out.join(file))?;
            let (_, metadata) = safetensors::SafeTensors::read_metadata(&bytes)?;
            let format = metadata.metadata().as_ref().and_then(|entries| entries.get("format"));
            assert_eq!(format.map(String::as_str), Some("pt"));
            let tensors = safetensors::SafeTensors::deserialize(&bytes)?;
            assert!(tensors.tensors().iter().all(|(_, tensor)| tensor.dtype() == safetensors::Dtype::F16));
        }
        let config: serde_json::Value = serde_json::from_slice(&std::fs::read(out.join("config.json"))?)?;
        assert_eq!(config["model_type"], family);
        assert_eq!(config["vocab_size"], if family == "gpt2" { 300 } else { 64 });
        let written: serde_json::Value = serde_json::from_slice(&std::fs::read(out.join("training.json"))?)?;
        assert_eq!(written["settings"]["steps"], 30);
        assert!(written["validation_loss"].is_object());
    }
    Ok(())
}

#[test]
fn the_tensors_have_the_names_and_shapes_of_the_bundled_models() -> Outcome {
    for (family, fixture) in [("albert", "albert-tales"), ("gpt2", "gpt2-tales")] {
        let folder = tempfile::tempdir()?;
        let arguments = Command::try_parse_from([
            "train",
            family,
            "--corpus",
            "-",
            "--out",
            &folder.path().display().to_string(),
        ])?;
        let parameters = model(&Settings::new(&arguments.train)?).initial(1, true)?;
        let path = format!("{}/public/models/{fixture}/model.safetensors", env!("CARGO_MANIFEST_DIR"));
        let bytes = std::fs::read(path)?;
        let bundled = safetensors::SafeTensors::deserialize(&bytes)?;
        let mut names = bundled.names();
        names.sort_unstable();
        let ours: Vec<_> = parameters.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(ours, names);
        for (name, tensor) in parameters.iter() {
            assert_eq!(tensor.dims().len(), bundled.tensor(name)?.shape().len(), "{name}");
        }
    }
    Ok(())
}

fn tiny(family: Family) -> Result<(Box<dyn Model>, Settings), Box<dyn std::error::Error>> {
    let name = if family == Family::Albert { "albert" } else { "gpt2" };
    let line = [
        "train",
        name,
        "--corpus",
        "-",
        "--out",
        "-",
        "--width",
        "16",
        "--heads",
        "2",
        "--depth",
        "3",
        "--embedding",
        "8",
        "--vocabulary",
        "40",
        "--positions",
        "12",
        "--length",
        "12",
        "--held-out",
        "50",
    ];
    let settings = Settings::new(&Command::try_parse_from(line)?.train)?;
    Ok((model(&settings), settings))
}

fn random_pass(settings: &Settings, dropout_seed: Option<u64>) -> Pass {
    let mut random = Random::new(5, 1);
    let count = 3 * settings.length;
    let rows: Vec<u32> = (0..count as u32).filter(|row| row % 3 != 1).collect();
    Pass {
        ids: (0..count).map(|_| random.below(settings.vocabulary) as u32).collect(),
        positions: (0..count).map(|at| (at % settings.length) as u32).collect(),
        length: settings.length,
        targets: rows.iter().map(|_| random.below(settings.vocabulary) as u32).collect(),
        rows,
        applications: settings.depth,
        dropout_seed,
    }
}

/// The slope of the loss along a direction, from the gradients and from two nearby losses.
fn slopes(
    model: &dyn Model,
    parameters: &Parameters,
    pass: &Pass,
    gradients: &Gradients,
    name: &str,
) -> Result<(f64, f64), Box<dyn std::error::Error>> {
    // Along the gradient itself the slope is its length: the best-conditioned direction in f32.
    let gradient = &gradients[name];
    let length = gradient.iter().map(|&g| f64::from(g).powi(2)).sum::<f64>().sqrt();
    let shape = parameters.get(name)?.dims().to_vec();
    let values = parameters.values(name)?;
    let difference = |reach: f64| -> Result<f64, Box<dyn std::error::Error>> {
        let mut loss = [0.0; 2];
        for (loss, sign) in loss.iter_mut().zip([1.0, -1.0]) {
            let step = sign * reach / length;
            let moved = values.iter().zip(gradient).map(|(v, g)| v + (step * f64::from(*g)) as f32).collect();
            let mut near = parameters.detached();
            near.set(name, moved, &shape)?;
            *loss = mean_loss(model, &near, std::slice::from_ref(pass), 1)?;
        }
        Ok((loss[0] - loss[1]) / (2.0 * reach))
    };
    // Richardson's extrapolation removes the cubic term, so that the reach can stay well above rounding.
    let reach = 0.02;
    Ok((length, (4.0 * difference(reach)? - difference(2.0 * reach)?) / 3.0))
}

#[test]
fn gradients_agree_with_finite_differences() -> Outcome {
    for family in [Family::Albert, Family::Gpt2] {
        let (model, settings) = tiny(family)?;
        let mut parameters = model.initial(2, false)?;
        // Biases and norms begin at 0 and 1; moved a little, so that their derivatives are tested in earnest.
        let mut random = Random::new(9, 9);
        let shapes: Vec<_> = parameters.iter().map(|(name, t)| (name.clone(), t.dims().to_vec())).collect();
        for (name, shape) in &shapes {
            let moved = parameters.values(name)?.iter().map(|v| v + 0.1 * random.normal() as f32).collect();
            parameters.set(name, moved, shape)?;
        }
        let pass = random_pass(&settings, None);
        let (_, found) = gradients(&*model, &parameters, std::slice::from_ref(&pass), 1)?;
        let whole = found.values().flatten().map(|&g| f64::from(g).powi(2)).sum::<f64>().sqrt();
        for (name, _) in &shapes {
            let (by_hand, measured) = slopes(&*model, &parameters, &pass, &found, name)?;
            if by_hand < 1e-3 * whole {
                continue;
            }
            let difference = (by_hand - measured).abs();
            assert!(difference < 1e-3 * by_hand.max(0.03 * whole), "{name}: {by_hand} against {measured}");
        }
    }
    Ok(())
}

#[test]
fn dropout_keeps_the_same_values_backwards() -> Outcome {
    let x = candle_core::Var::from_tensor(&candle_core::Tensor::ones(
        (7, 9),
        candle_core::DType::F32,
        &candle_core::Device::Cpu,
    )?)?;
    let y = kernels::dropout(x.as_tensor(), 0.5, 4)?;
    let store = y.sum_all()?.backward()?;
    let gradient = store.get(x.as_tensor()).ok_or("no gradient")?.to_vec2::<f32>()?;
    assert_eq!(gradient, y.to_vec2::<f32>()?);
    assert!(gradient.iter().flatten().any(|&value| value == 0.0));
    Ok(())
}

#[test]
fn halves_of_a_batch_add_up_to_the_whole() -> Outcome {
    let (model, settings) = tiny(Family::Albert)?;
    let parameters = model.initial(2, true)?;
    let whole = random_pass(&settings, None);
    let cut = settings.length;
    let here = whole.rows.iter().filter(|&&row| (row as usize) < cut).count();
    let first = Pass {
        ids: whole.ids[..cut].to_vec(),
        positions: whole.positions[..cut].to_vec(),
        rows: whole.rows[..here].to_vec(),
        targets: whole.targets[..here].to_vec(),
        ..whole.clone()
    };
    let second = Pass {
        ids: whole.ids[cut..].to_vec(),
        positions: whole.positions[cut..].to_vec(),
        rows: whole.rows[here..].iter().map(|row| row - cut as u32).collect(),
        targets: whole.targets[here..].to_vec(),
        ..whole.clone()
    };
    let (loss, one) = gradients(&*model, &parameters, &[whole], 1)?;
    let (same, two) = gradients(&*model, &parameters, &[first, second], 2)?;
    assert!((loss - same).abs() < 1e-5);
    for (a, b) in one.values().flatten().zip(two.values().flatten()) {
        assert!((a - b).abs() < 1e-5);
    }
    Ok(())
}

#[test]
fn the_same_seed_gives_the_same_losses_on_any_number_of_threads() -> Outcome {
    let steps = ["--steps", "50", "--every", "1"];
    let mut losses = Vec::new();
    for threads in ["1", "1", "2"] {
        let folder = tempfile::tempdir()?;
        let more = [&steps[..], &["--threads", threads]].concat();
        losses.push(training_losses(&train("albert", folder.path(), &more)?));
    }
    assert_eq!(losses[0].len(), 50);
    for other in &losses[1..] {
        for (a, b) in losses[0].iter().zip(other) {
            assert!((a - b).abs() < 1e-4, "{a} against {b}");
        }
    }
    Ok(())
}

#[test]
fn an_interrupted_run_continues_to_the_same_losses() -> Outcome {
    for family in ["albert", "gpt2"] {
        let (one, two) = (tempfile::tempdir()?, tempfile::tempdir()?);
        let whole = train(family, one.path(), &["--every", "5"])?;
        train(family, two.path(), &["--every", "5", "--stop-at", "15"])?;
        let continued = train(family, two.path(), &["--every", "5"])?;
        assert_eq!(whole.history.len(), continued.history.len());
        for (a, b) in whole.history.iter().zip(&continued.history) {
            assert_eq!(a.step, b.step);
            assert!((a.validation_loss - b.validation_loss).abs() < 1e-6, "step {}", a.step);
        }
    }
    Ok(())
}

#[test]
fn a_run_with_other_settings_is_not_continued() -> Outcome {
    let folder = tempfile::tempdir()?;
    train("albert", folder.path(), &["--stop-at", "10"])?;
    let message = refused("albert", folder.path(), &["--seed", "2"])?.to_string();
    assert!(message.contains("other settings") && message.contains("--out"), "{message}");
    std::fs::write(folder.path().join("out/continue.safetensors"), b"half a file")?;
    let message = refused("albert", folder.path(), &[])?.to_string();
    assert!(message.contains("damaged"), "{message}");
    Ok(())
}

#[test]
fn a_layer_grows_by_the_schedule() -> Outcome {
    let folder = tempfile::tempdir()?;
    let settings = Settings::new(&arguments("albert", folder.path(), &["--growth", "0:1,10:2,20:4"])?)?;
    let applied = [0, 9, 10, 19, 20, 29].map(|step| settings.applications(step));
    assert_eq!(applied, [1, 1, 2, 2, 4, 4]);
    assert!(arguments("albert", folder.path(), &["--growth", "ten"]).is_err());
    Ok(())
}

#[test]
fn the_rate_rises_and_falls() {
    assert!((rate_at(0, 1000, 100, 1.0) - 0.01).abs() < 1e-9);
    assert!((rate_at(99, 1000, 100, 1.0) - 1.0).abs() < 1e-9);
    assert!(rate_at(500, 1000, 100, 1.0) < 1.0);
    assert!(rate_at(999, 1000, 100, 1.0) < 0.04);
}

#[test]
fn a_text_that_cannot_serve_is_refused() -> Outcome {
    let folder = tempfile::tempdir()?;
    let corpus = folder.path().join("text.txt");
    std::fs::write(&corpus, " \n ")?;
    assert!(matches!(refused("albert", folder.path(), &[])?, TrainError::EmptyCorpus { .. }));
    std::fs::write(&corpus, "once upon a time there was a fox. ".repeat(8))?;
    let error = refused("gpt2", folder.path(), &["--vocabulary", "262"])?;
    assert!(matches!(error, TrainError::SmallCorpus { .. }), "{error}");
    let error = refused("gpt2", folder.path(), &["--vocabulary", "5000"])?;
    assert!(matches!(error, TrainError::Vocabulary { asked: 5000, .. }), "{error}");
    std::fs::write(&corpus, [0xff, 0xfe, 0x00])?;
    let error = refused("albert", folder.path(), &[])?;
    assert!(error.to_string().contains("text.txt"), "{error}");
    std::fs::remove_file(&corpus)?;
    std::fs::create_dir(&corpus)?;
    assert!(matches!(refused("albert", folder.path(), &[])?, TrainError::Corpus { .. }));
    Ok(())
}

#[test]
fn a_vocabulary_larger_than_the_text_supports_is_refused() -> Outcome {
    let folder = tempfile::tempdir()?;
    for family in ["albert", "gpt2"] {
        let error = refused(family, folder.path(), &["--vocabulary", "30000"])?;
        let message = error.to_string();
        assert!(matches!(error, TrainError::Vocabulary { asked: 30_000, .. }), "{family}: {message}");
    }
    Ok(())
}

#[test]
fn settings_that_cannot_work_are_refused() -> Outcome {
    let folder = tempfile::tempdir()?;
    for (option, value) in [
        ("--heads", "5"),
        ("--length", "64"),
        ("--batch", "0"),
        ("--rate", "NaN"),
        ("--mask", "0"),
        ("--growth", "0:0"),
        ("--steps", "0"),
    ] {
        let mut arguments = arguments("albert", folder.path(), &[])?;
        match option {
            "--heads" => arguments.heads = value.parse()?,
            "--length" => arguments.length = Some(value.parse()?),
            "--batch" => arguments.batch = Some(value.parse()?),
            "--rate" => arguments.rate = value.parse()?,
            "--mask" => arguments.mask = value.parse()?,
            "--steps" => arguments.steps = value.parse()?,
            _ => arguments.growth = vec![(0, 0)],
        }
        let refused = Settings::new(&arguments);
        assert!(matches!(refused, Err(TrainError::Setting { .. })), "{option} {value}");
    }
    Ok(())
}

#[test]
fn a_loss_that_is_not_a_number_stops_the_run_and_keeps_the_last_good_weights() -> Outcome {
    let folder = tempfile::tempdir()?;
    train("gpt2", folder.path(), &["--stop-at", "10", "--dropout", "0"])?;
    // A weight that overflows stands in for a rate that is too high.
    let path = folder.path().join("out/continue.safetensors");
    let mut bytes = std::fs::read(&path)?;
    let header = usize::try_from(u64::from_le_bytes(bytes[..8].try_into()?))?;
    let (_, metadata) = safetensors::SafeTensors::read_metadata(&bytes)?;
    let info = metadata.info("weight/transformer.wte.weight").ok_or("no embedding")?;
    let at = 8 + header + info.data_offsets.0;
    let rows = info.data_offsets.1 - info.data_offsets.0;
    for value in bytes[at..at + rows].chunks_exact_mut(4) {
        value.copy_from_slice(&f32::NAN.to_le_bytes());
    }
    std::fs::write(&path, &bytes)?;
    let error = refused("gpt2", folder.path(), &["--dropout", "0"])?;
    let message = error.to_string();
    assert!(matches!(error, TrainError::NotFinite { step: 10, kept: 10, .. }), "{message}");
    assert!(message.contains("--rate"), "{message}");
    assert_eq!(std::fs::read(&path)?, bytes, "the state was written over");
    Ok(())
}

#[test]
fn a_folder_that_cannot_be_written_is_named() -> Outcome {
    let folder = tempfile::tempdir()?;
    // A file where the folder should be: unlike permissions, this refuses the administrator too.
    std::fs::write(folder.path().join("out"), b"")?;
    let error = refused("albert", folder.path(), &[])?;
    assert!(matches!(error, TrainError::Write { .. }) && error.to_string().contains("--out"), "{error}");
    Ok(())
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_and_not_a_panic() -> Outcome {
    if !Path::new("/dev/full").exists() {
        return Ok(());
    }
    let folder = tempfile::tempdir()?;
    let out = folder.path().join("out");
    std::fs::create_dir(&out)?;
    // The file beside which the state is prepared is a device without room.
    std::os::unix::fs::symlink("/dev/full", out.join("continue.safetensors.partial"))?;
    let error = refused("albert", folder.path(), &[])?;
    assert!(matches!(error, TrainError::Write { .. }), "{error}");
    Ok(())
}

#[test]
fn a_mask_takes_the_space_before_it_along() -> Outcome {
    let folder = tempfile::tempdir()?;
    train("albert", folder.path(), &["--stop-at", "0"])?;
    let tokenizer = tokenizers::Tokenizer::from_file(folder.path().join("out/tokenizer.json"))
        .map_err(|error| error.to_string())?;
    let encoding = tokenizer.encode("the [MASK] sea", true).map_err(|error| error.to_string())?;
    let mask = tokenizer.token_to_id("[MASK]").ok_or("no mask in the vocabulary")?;
    let at = encoding.get_ids().iter().position(|&id| id == mask).ok_or("no mask in the text")?;
    let tokens = encoding.get_tokens();
    assert!(at > 0 && tokens[at - 1] != "\u{2581}", "{tokens:?}");
    Ok(())
}
