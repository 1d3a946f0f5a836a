//! All five families against an independent implementation, in the browser.
#![cfg(target_arch = "wasm32")]
// A test that cannot go on has failed; that is what these do.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::{FAMILIES, agrees_with_golden};
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_dedicated_worker);

macro_rules! golden {
    ($($test:ident: $index:literal),+) => {
        $(#[wasm_bindgen_test]
        async fn $test() {
            agrees_with_golden(&FAMILIES[$index]).await;
        })+
    };
}

golden!(albert: 0, bert: 1, gpt2: 2, gpt_neo: 3, gpt_neox: 4);
