//! Whatever a reader feeds it, the program answers with one plain sentence that names the culprit.
// A test that cannot go on has failed; that is what these do.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use std::collections::BTreeMap;

use common::FAMILIES;
use eigentilt::{
    analysis::Session,
    models::{Model, tokenizer::Input},
    settings::{MAX_STEPS, Settings},
    source::Source,
    watch::Unwatched,
};
use pollster::block_on;
use proptest::prelude::*;
use safetensors::{Dtype, tensor::TensorView};

type Files = BTreeMap<String, Vec<u8>>;

fn files(name: &str) -> Files {
    FAMILIES.iter().find(|fixture| fixture.name == name).unwrap().files()
}

fn open(files: Files) -> Result<Model, String> {
    block_on(Model::open(Source::memory("a folder", files), &Unwatched)).map_err(|error| error.to_string())
}

/// The sentence that comes back for `files`, whose form is checked on the way.
fn sentence(files: Files) -> String {
    let sentence = open(files).unwrap_err();
    assert!(sentence.ends_with('.') && !sentence.contains('\n'), "{sentence}");
    sentence
}

fn with_config(name: &str, from: &str, to: &str) -> Files {
    let mut files = files(name);
    let config = String::from_utf8(files["config.json"].clone()).unwrap();
    assert!(config.contains(from));
    files.insert("config.json".to_owned(), config.replace(from, to).into_bytes());
    files
}

/// The weights once more after `change` was made to the tensors' names and bytes.
fn with_weights(name: &str, change: impl Fn(&mut BTreeMap<String, (Dtype, Vec<usize>, Vec<u8>)>)) -> Files {
    let mut files = files(name);
    let weights = safetensors::SafeTensors::deserialize(&files["model.safetensors"]).unwrap();
    let mut tensors: BTreeMap<_, _> = weights
        .iter()
        .map(|(name, view)| (name.to_owned(), (view.dtype(), view.shape().to_vec(), view.data().to_vec())))
        .collect();
    change(&mut tensors);
    let views = tensors
        .iter()
        .map(|(name, (dtype, shape, data))| (name, TensorView::new(*dtype, shape.clone(), data).unwrap()));
    let bytes = safetensors::serialize(views, None).unwrap();
    files.insert("model.safetensors".to_owned(), bytes);
    files
}

#[test]
fn missing_files_are_named() {
    for file in ["config.json", "model.safetensors"] {
        let mut files = files("gpt2-tiny");
        files.remove(file);
        let sentence = sentence(files);
        assert!(sentence.starts_with(&format!("{file} is missing in a folder")), "{sentence}");
    }
    let mut pickled = files("gpt2-tiny");
    pickled.remove("model.safetensors");
    pickled.insert("pytorch_model.bin".to_owned(), vec![0]);
    assert!(sentence(pickled).contains("a pickle"));
    let mut untokenized = files("gpt2-tiny");
    untokenized.remove("tokenizer.json");
    let mut session = Session::new(open(untokenized).unwrap());
    let analyze =
        |session: &mut Session, input| block_on(session.analyze(&input, &Settings::default(), &Unwatched));
    let error = analyze(&mut session, Input::Text("a bird".to_owned())).unwrap_err().to_string();
    assert!(error.starts_with("a folder has no tokenizer.json"), "{error}");
    assert_eq!(analyze(&mut session, Input::Ids(vec![5, 6])).unwrap().tokens, ["#5", "#6"]);
}

#[test]
fn cut_files_are_told() {
    for kept in [0, 5, 100, 20_000, 500_000] {
        let mut files = files("gpt2-tiny");
        files.get_mut("model.safetensors").unwrap().truncate(kept);
        let sentence = sentence(files);
        assert!(sentence.contains("model.safetensors"), "{sentence}");
    }
    let mut longer = files("gpt2-tiny");
    longer.get_mut("model.safetensors").unwrap().push(0);
    assert!(sentence(longer).contains("cut off or damaged"));
    for file in ["config.json", "tokenizer.json"] {
        let mut files = files("albert-tiny");
        files.get_mut(file).unwrap().truncate(300);
        let sentence = sentence(files);
        assert!(sentence.starts_with(file), "{sentence}");
    }
}

#[test]
fn foreign_models_are_refused() {
    let llama = sentence(with_config("gpt2-tiny", "\"model_type\": \"gpt2\"", "\"model_type\": \"llama\""));
    assert!(llama.contains("model_type is \"llama\"") && llama.contains("gpt_neox"), "{llama}");
    for key in ["num_hidden_groups", "inner_group_num"] {
        let with = with_config("albert-tiny", &format!("\"{key}\": 1"), &format!("\"{key}\": 2"));
        let sentence = sentence(with);
        assert!(sentence.contains(&format!("\"{key}\" is 2")), "{sentence}");
    }
    assert!(
        sentence(with_config("gpt2-tiny", "\"n_embd\": 48", "\"n_embd\": 50"))
            .contains("no multiple of the 3 heads")
    );
    assert!(
        sentence(with_config("gpt2-tiny", "\"n_embd\": 48", "\"n_embd\": 0")).contains("\"n_embd\" is 0")
    );
    assert!(
        sentence(with_config("gpt2-tiny", "\"n_embd\": 48", "\"other\": 48"))
            .contains("\"n_embd\" is missing")
    );
    assert!(
        sentence(with_config("gpt2-tiny", "\"n_layer\": 4", "\"n_layer\": 4000000"))
            .contains("4000000 layers")
    );
    assert!(
        sentence(with_config("bert-tiny", "\"hidden_act\": \"gelu\"", "\"hidden_act\": \"swirl\""))
            .contains("\"swirl\"")
    );
}

#[test]
fn tensors_at_fault_are_named() {
    let missing = sentence(with_weights("bert-tiny", |tensors| {
        tensors.remove("bert.encoder.layer.2.attention.self.key.weight");
    }));
    assert!(missing.contains("no tensor bert.encoder.layer.2.attention.self.key.weight"), "{missing}");
    let shape = sentence(with_config("gpt2-tiny", "\"n_embd\": 48", "\"n_embd\": 24"));
    assert!(shape.contains("transformer.h.0.attn.c_attn.weight has shape [48, 144]"), "{shape}");
    assert!(shape.contains("[24, 72]"), "{shape}");
    for (value, word) in [(f32::NAN, "NaN"), (f32::INFINITY, "infinite")] {
        let sentence = sentence(with_weights("gpt-neox-tiny", |tensors| {
            let tensor = tensors.get_mut("gpt_neox.layers.1.attention.dense.weight").unwrap();
            tensor.2[400..404].copy_from_slice(&value.to_le_bytes());
        }));
        assert!(sentence.contains("gpt_neox.layers.1.attention.dense.weight"), "{sentence}");
        assert!(sentence.contains(word) && sentence.contains("index 100"), "{sentence}");
    }
    let dtype = sentence(with_weights("gpt2-tiny", |tensors| {
        tensors.get_mut("transformer.h.0.attn.c_proj.weight").unwrap().0 = Dtype::I32;
    }));
    assert!(dtype.contains("type I32"), "{dtype}");
}

#[test]
fn tensors_that_only_a_text_needs_are_named_too() {
    let files = with_weights("gpt2-tiny", |tensors| {
        tensors.remove("transformer.wpe.weight");
    });
    let mut session = Session::new(open(files).unwrap());
    let input = Input::Text("a bird".to_owned());
    let error = block_on(session.analyze(&input, &Settings::default(), &Unwatched)).unwrap_err().to_string();
    assert!(error.contains("no tensor transformer.wpe.weight"), "{error}");
}

#[test]
fn names_without_prefix_and_the_old_names_of_layer_norm_are_read() {
    for (name, prefix) in [
        ("albert-tiny", "albert."),
        ("bert-tiny", "bert."),
        ("gpt2-tiny", "transformer."),
        ("gpt-neo-tiny", "transformer."),
        ("gpt-neox-tiny", "gpt_neox."),
    ] {
        let bare = with_weights(name, |tensors| {
            *tensors = std::mem::take(tensors)
                .into_iter()
                .map(|(name, tensor)| {
                    let bare = name.strip_prefix(prefix).unwrap_or(&name).to_owned();
                    let old = bare.replace("LayerNorm.weight", "LayerNorm.gamma");
                    (old.replace("LayerNorm.bias", "LayerNorm.beta"), tensor)
                })
                .collect();
        });
        let input = Input::Ids(vec![7, 8, 9]);
        let run = |files| {
            let session = Session::new(open(files).unwrap());
            block_on(session.forward(&input, &Unwatched)).unwrap()
        };
        assert_eq!(run(bare), run(files(name)), "{name}");
    }
}

#[test]
fn half_precision_is_read() {
    let input = Input::Ids(vec![7, 8, 9]);
    let run = |files| {
        let mut session = Session::new(open(files).unwrap());
        block_on(session.analyze(&input, &Settings::default(), &Unwatched)).unwrap()
    };
    let full = run(files("gpt2-tiny"));
    for dtype in [Dtype::F16, Dtype::BF16] {
        let half = run(with_weights("gpt2-tiny", |tensors| {
            for tensor in tensors.values_mut() {
                let values = tensor.2.as_chunks().0.iter().map(|&bytes| f32::from_le_bytes(bytes));
                tensor.2 = values
                    .flat_map(|x| match dtype {
                        Dtype::F16 => half::f16::from_f32(x).to_le_bytes(),
                        _ => half::bf16::from_f32(x).to_le_bytes(),
                    })
                    .collect();
                tensor.0 = dtype;
            }
        }));
        for (a, b) in half.mean_pairwise_cosine.iter().zip(&full.mean_pairwise_cosine) {
            assert!((a - b).abs() < 0.01, "{dtype:?}: {a} is not {b}");
        }
    }
}

#[test]
fn a_tokenizer_of_another_vocabulary_is_refused() {
    let mut larger = files("albert-tiny");
    larger.insert(
        "tokenizer.json".to_owned(),
        include_bytes!("../public/models/albert-tales/tokenizer.json").to_vec(),
    );
    let message = sentence(larger);
    assert!(
        message.contains("tokenizer.json knows 2048 tokens") && message.contains("a vocabulary of 512"),
        "{message}"
    );
    let smaller = with_config("albert-tiny", "\"vocab_size\": 512", "\"vocab_size\": 600");
    let session = &mut Session::new(open(smaller).unwrap());
    let text = Input::Text("a bird".to_owned());
    // 512 of 600 is noted; the embedding then lacks rows, which the shape of its tensor tells.
    let error = block_on(session.analyze(&text, &Settings::default(), &Unwatched)).unwrap_err().to_string();
    assert!(error.contains("word_embeddings.weight has shape [512, 24]"), "{error}");
}

#[test]
fn foolish_inputs_and_settings_are_answered() {
    let session = &mut Session::new(open(files("gpt2-tiny")).unwrap());
    let mut ask = |input: Input, settings: Settings| {
        block_on(session.analyze(&input, &settings, &Unwatched)).map_err(|error| error.to_string())
    };
    let plain = Settings::default();
    for text in ["", "  \n\t "] {
        assert!(ask(Input::Text(text.to_owned()), plain).unwrap_err().starts_with("The text is empty"));
    }
    assert!(ask(Input::Ids(vec![]), plain).unwrap_err().contains("ids is empty"));
    assert!(ask(Input::Ids(vec![512]), plain).unwrap_err().contains("Token id 512 is beyond"));
    for steps in [0, 5, MAX_STEPS + 1] {
        let error = ask(Input::Ids(vec![1]), Settings { steps: Some(steps), ..plain }).unwrap_err();
        assert!(error.starts_with(&format!("{steps} steps are asked for")), "{error}");
    }
    for eigenvalues in [0, 65] {
        let error = ask(Input::Ids(vec![1]), Settings { eigenvalues, ..plain }).unwrap_err();
        assert!(error.starts_with(&format!("{eigenvalues} eigenvalues")), "{error}");
    }
    // More eigenvalues than the matrix has are all of them.
    let all = ask(Input::Ids(vec![1, 2]), Settings { eigenvalues: 64, ..plain }).unwrap();
    assert_eq!(all.layers[0].eigenvalues.len(), 48);
    let one = ask(Input::Ids(vec![1]), plain).unwrap();
    assert!(one.mean_pairwise_cosine.iter().all(|cosine| (cosine - 1.0).abs() < 1e-12));
    let long = ask(Input::Text("a bird sang ".repeat(100)), plain).unwrap();
    assert_eq!(long.ids.len(), 64);
    assert!(long.notes[0].contains("the model takes 64, so the rest was cut off"), "{:?}", long.notes);
    let ids = ask(Input::Ids(vec![9; 100]), plain).unwrap();
    assert_eq!((ids.ids.len(), ids.notes.len()), (64, 1));
}

#[test]
fn a_long_text_keeps_its_special_tokens() {
    let session = &mut Session::new(open(files("bert-tiny")).unwrap());
    let text = Input::Text("the golden bird ".repeat(60));
    let report = block_on(session.analyze(&text, &Settings::default(), &Unwatched)).unwrap();
    assert_eq!(report.ids.len(), 64);
    assert_eq!((report.tokens[0].as_str(), report.tokens[63].as_str()), ("[CLS]", "[SEP]"));
}

#[test]
fn a_shared_layer_is_unrolled_and_others_are_not() {
    let session = &mut Session::new(open(files("albert-tiny")).unwrap());
    let settings = Settings { steps: Some(500), ..Settings::default() };
    let report = block_on(session.analyze(&Input::Ids(vec![2, 5, 9]), &settings, &Unwatched)).unwrap();
    assert_eq!(report.layers.len(), 500);
    assert_eq!(report.mean_pairwise_cosine.len(), 501);
    assert!(report.layers.iter().all(|layer| layer.matrix == 0));
}

#[test]
fn a_piece_of_a_character_is_shown_as_its_bytes() {
    let session = &mut Session::new(open(files("gpt2-tiny")).unwrap());
    let text = Input::Text("a \u{1F426} sang".to_owned());
    let report = block_on(session.analyze(&text, &Settings::default(), &Unwatched)).unwrap();
    let joined = report.token_texts.concat();
    assert_eq!(joined, "a <F0><9F><90><A6> sang");
}

#[test]
fn a_tokenizer_whose_decoder_is_no_json_is_refused() {
    let mut broken = files("bert-tiny");
    let text = String::from_utf8(broken["tokenizer.json"].clone()).unwrap();
    let cut = text.replace("\"decoder\": {", "\"decoder\": {,");
    assert_ne!(cut, text);
    broken.insert("tokenizer.json".to_owned(), cut.into_bytes());
    assert!(sentence(broken).starts_with("tokenizer.json could not be read"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// Damaged bytes end in a sentence or in a model, never in a panic.
    #[test]
    fn damaged_files_never_panic(which in 0usize..3, at in 0usize..3_000, byte in any::<u8>(), keep in 0usize..10_000) {
        let name = ["config.json", "model.safetensors", "tokenizer.json"][which];
        let mut files = files("bert-tiny");
        let bytes = files.get_mut(name).unwrap();
        if keep < 5_000 {
            bytes.truncate(keep);
        }
        let at = at.min(bytes.len().saturating_sub(1));
        if let Some(place) = bytes.get_mut(at) {
            *place = byte;
        }
        if let Ok(model) = open(files) {
            let mut session = Session::new(model);
            let _ = block_on(session.analyze(&Input::Ids(vec![1, 2]), &Settings::default(), &Unwatched));
        }
    }
}
