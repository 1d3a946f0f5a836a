//! Properties of the dynamics and of what is measured on them.
// A test that cannot go on has failed; that is what these do.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use candle_core::{DType, Device, Tensor};
use common::FAMILIES;
use eigentilt::{
    dynamics::State,
    measures,
    models::{AttentionStack, Family},
};
use pollster::block_on;
use proptest::prelude::*;

const IDS: [u32; 9] = [3, 17, 130, 9, 256, 401, 77, 12, 300];

/// F = O V in f64, row by row.
fn layer_matrix(stack: &AttentionStack, layer: usize) -> Vec<Vec<f64>> {
    let layer = &stack.layers[layer];
    let wide = |tensor: &Tensor| tensor.to_dtype(DType::F64).unwrap();
    wide(&layer.output.weight).matmul(&wide(&layer.value.weight)).unwrap().to_vec2().unwrap()
}

#[test]
fn rows_of_attention_sum_to_one() {
    for fixture in &FAMILIES {
        let session = block_on(fixture.session());
        let model = session.model();
        let x = block_on(model.embed(&IDS)).unwrap();
        for (index, layer) in model.stack().layers.iter().enumerate() {
            for biases in [false, true] {
                let weights = model.stack().weights(layer, &x, biases).unwrap();
                assert_eq!(weights.dims(), [model.stack().heads, IDS.len(), IDS.len()]);
                let sums: Vec<f32> =
                    weights.sum(candle_core::D::Minus1).unwrap().flatten_all().unwrap().to_vec1().unwrap();
                for sum in sums {
                    assert!((sum - 1.0).abs() < 1e-5, "{} layer {index}: {sum}", fixture.name);
                }
            }
        }
    }
}

#[test]
fn a_causal_model_never_looks_ahead() {
    for fixture in FAMILIES.iter().skip(2) {
        let session = block_on(fixture.session());
        let model = session.model();
        let x = block_on(model.embed(&IDS)).unwrap();
        for layer in &model.stack().layers {
            let weights = model.stack().weights(layer, &x, true).unwrap();
            for head in weights.to_vec3::<f32>().unwrap() {
                for (i, row) in head.iter().enumerate() {
                    assert!(row[i + 1..].iter().all(|&a| a == 0.0), "{}", fixture.name);
                }
            }
        }
    }
}

#[test]
fn the_first_token_of_a_causal_model_follows_the_power_method() {
    for fixture in FAMILIES.iter().skip(2) {
        let session = block_on(fixture.session());
        let model = session.model();
        assert!(model.shape().causal);
        let stack = model.stack();
        let embedding = block_on(model.embed(&IDS)).unwrap();
        let mut state = State::start(&embedding, 1.0).unwrap();
        let mut power = state.rows().unwrap()[0].clone();
        for layer in 0..stack.depth {
            state = state.step(stack, layer, false, layer + 1).unwrap();
            let f = layer_matrix(stack, layer);
            let next: Vec<f64> =
                power.iter().zip(&f).map(|(x, row)| x + measures::dot(row, &power)).collect();
            let length = measures::norm(&next);
            power = next.iter().map(|x| x / length).collect();
            let token = &state.rows().unwrap()[0];
            let error: f64 = power.iter().zip(token).map(|(p, x)| (p - x).abs()).fold(0.0, f64::max);
            assert!(error < 1e-5, "{} layer {layer}: {error}", fixture.name);
        }
    }
}

#[test]
fn equal_tokens_follow_the_power_method_whatever_the_mask() {
    for fixture in FAMILIES.iter().filter(|fixture| fixture.name != "gpt-neox-tiny") {
        let session = block_on(fixture.session());
        let stack = session.model().stack();
        let embedding = block_on(session.model().embed(&[40])).unwrap();
        let equal = embedding.repeat((6, 1)).unwrap();
        let state = State::start(&equal, 1.0).unwrap();
        let next = state.step(stack, 0, false, 1).unwrap();
        let x = &state.rows().unwrap()[0];
        let f = layer_matrix(stack, 0);
        let power: Vec<f64> = x
            .iter()
            .zip(&f)
            .map(|(x, row)| x + measures::dot(row, state.rows().unwrap()[0].as_slice()))
            .collect();
        let length = measures::norm(&power);
        for token in next.rows().unwrap() {
            for (p, x) in power.iter().zip(&token) {
                assert!((p / length - x).abs() < 1e-5, "{}", fixture.name);
            }
        }
    }
}

#[test]
fn tokens_keep_their_length() {
    let session = block_on(FAMILIES[0].session());
    let stack = session.model().stack();
    let embedding = block_on(session.model().embed(&IDS)).unwrap();
    let mut state = State::start(&embedding, 7.0).unwrap();
    for step in 0..20 {
        for row in state.rows().unwrap() {
            assert!((measures::norm(&row) - 7.0).abs() < 1e-4);
        }
        state = state.step(stack, 0, true, step + 1).unwrap();
    }
}

#[test]
fn zero_tokens_are_refused_by_name() {
    let zero = Tensor::zeros((2, 4), DType::F32, &Device::Cpu).unwrap();
    let error = State::start(&zero, 1.0).unwrap_err().to_string();
    assert!(error.starts_with("After step 0 token 0 has length 0"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// Without mask and positions nothing tells tokens apart but themselves.
    #[test]
    fn permuting_tokens_permutes_the_result(order in Just((0..7usize).collect::<Vec<_>>()).prop_shuffle(), seed in 0u32..400) {
        for fixture in FAMILIES.iter().take(2) {
            let session = block_on(fixture.session());
            let model = session.model();
            prop_assert!(matches!(model.shape().family, Family::Albert | Family::Bert));
            let ids: Vec<u32> = (0..7).map(|k| (seed + 61 * k) % 512).collect();
            // The same embeddings in another order: positions travel with their tokens.
            let x = block_on(model.embed(&ids)).unwrap();
            let index: Vec<u32> = order.iter().map(|&k| k as u32).collect();
            let permuted = x.index_select(&Tensor::new(index, &Device::Cpu).unwrap(), 0).unwrap();
            let run = |x: &Tensor| {
                let mut state = State::start(x, 1.0).unwrap();
                for step in 0..model.stack().depth {
                    state = state.step(model.stack(), model.stack().layer_of_step(step), true, step + 1).unwrap();
                }
                state.rows().unwrap()
            };
            let (plain, shuffled) = (run(&x), run(&permuted));
            for (place, &from) in order.iter().enumerate() {
                for (a, b) in shuffled[place].iter().zip(&plain[from]) {
                    prop_assert!((a - b).abs() < 1e-5);
                }
            }
        }
    }

    /// Measures stay within their bounds and agree with their formulas for any tokens.
    #[test]
    fn measures_are_bounded(tokens in prop::collection::vec(prop::collection::vec(-1.0f64..1.0, 5), 2..8)) {
        prop_assume!(tokens.iter().all(|x| measures::norm(x) > 1e-3));
        let frame = vec![vec![0.6, 0.8, 0.0, 0.0, 0.0], vec![0.0, 0.0, 1.0, 0.0, 0.0]];
        for a in measures::alignments(&frame, &tokens) {
            prop_assert!((0.0..=1.0).contains(&a));
        }
        let mut sum = 0.0;
        for (i, x) in tokens.iter().enumerate() {
            for (j, y) in tokens.iter().enumerate() {
                if i != j {
                    sum += measures::dot(x, y) / measures::norm(x) / measures::norm(y);
                }
            }
        }
        let n = tokens.len() as f64;
        prop_assert!((measures::mean_pairwise_cosine(&tokens) - sum / (n * (n - 1.0))).abs() < 1e-9);
        prop_assert!((0.0..=1.0 + 1e-12).contains(&measures::spread(&tokens)));
    }
}
