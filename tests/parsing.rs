//! Whatever the bytes of a header, a config.json or an index are: no panic, and no more memory than their length
//! justifies.
// A test that cannot go on has failed; that is what these do.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::alloc::System;

use cap::Cap;
use eigentilt::checkpoint::{
    config::Config,
    header::{Header, MAX_HEADER_BYTES, header_length},
    shards,
};
use proptest::{prelude::*, test_runner::TestRunner};

#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);

/// Bytes of allocations, freed ones too, that an input of this length justifies: a digit of a list becomes a value.
fn justified(length: usize) -> usize {
    128 * length + 64 * 1024
}

fn parse_all(bytes: &[u8], file_length: u64) {
    let before = ALLOCATOR.total_allocated();
    let _ = header_length("model.safetensors", bytes, file_length);
    let _ = Header::parse("model.safetensors", bytes, file_length);
    let _ = shards::files(bytes);
    if let Ok(config) = Config::parse(bytes) {
        for key in ["hidden_size", "n_layer", "a"] {
            let _ = (
                config.count(key),
                config.number_or(key, 1.0),
                config.section(key),
                config.flag_or(key, true),
            );
        }
    }
    let used = ALLOCATOR.total_allocated() - before;
    // Four parsers read it.
    assert!(used <= 4 * justified(bytes.len()), "{used} bytes for {} bytes", bytes.len());
}

/// Texts that come close to what is expected.
fn nearly() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        Just("\"dtype\":\"F32\"".to_owned()),
        Just("\"shape\":[2,3]".to_owned()),
        Just("\"data_offsets\":[0,24]".to_owned()),
        Just("\"weight_map\":{\"a\":\"m.safetensors\"}".to_owned()),
        Just("{\"a\":".to_owned()),
        Just("{".to_owned()),
        Just("}".to_owned()),
        Just("[".to_owned()),
        Just("],".to_owned()),
        Just(",".to_owned()),
        Just("18446744073709551615".to_owned()),
        Just("-1e308".to_owned()),
        "[a-z\"\\\\0-9]{0,4}",
    ];
    prop::collection::vec(word, 0..40).prop_map(|words| words.concat())
}

/// A header of one tensor with whatever numbers.
fn headers() -> impl Strategy<Value = String> {
    let number = || prop_oneof![Just(0u64), 0u64..100, any::<u64>()];
    (prop::collection::vec(number(), 0..5), number(), number()).prop_map(|(shape, start, end)| {
        serde_json::json!({ "t": { "dtype": "F16", "shape": shape, "data_offsets": [start, end] } })
            .to_string()
    })
}

// One test alone: the allocator counts for the whole process.
#[test]
fn parsing_neither_panics_nor_grows() {
    let config = || ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() };
    let length = || prop_oneof![0u64..200, any::<u64>()];
    let bytes = prop::collection::vec(any::<u8>(), 0..300);
    TestRunner::new(config())
        .run(&(bytes, length()), |(bytes, length)| {
            parse_all(&bytes, length);
            Ok(())
        })
        .unwrap();
    for texts in [nearly().boxed(), headers().boxed()] {
        TestRunner::new(config())
            .run(&(texts, length()), |(text, length)| {
                parse_all(text.as_bytes(), length);
                Ok(())
            })
            .unwrap();
    }
    parse_all("[".repeat(100_000).as_bytes(), u64::MAX);
    parse_all(format!("{{\"a\":[{}0]}}", "0,".repeat(100_000)).as_bytes(), u64::MAX);
    assert!(header_length("m", &(MAX_HEADER_BYTES + 1).to_le_bytes(), u64::MAX).is_err());
}
