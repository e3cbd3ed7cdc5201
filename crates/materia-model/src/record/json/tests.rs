//! What is written is what `serde_json` would have written, byte for byte.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde::Serialize;
use serde_json::{Value, json};

use super::write;

fn ours<T: Serialize>(data: &T) -> Vec<u8> {
    let mut out = Vec::new();
    write(&mut out, data).unwrap();
    out
}

#[derive(Serialize)]
enum Shape {
    Unit,
    Newtype(u8),
    Tuple(i8, char),
    Struct { name: Option<&'static str>, nested: Box<Shape> },
}

#[derive(Serialize)]
struct Unit;

#[derive(Serialize)]
struct Pair(f32, ());

#[test]
fn every_shape_is_spelled_as_serde_json_spells_it() {
    let nested = Shape::Struct { name: None, nested: Box::new(Shape::Tuple(-3, '"')) };
    let shapes = vec![Shape::Unit, Shape::Newtype(7), nested];
    assert_eq!(ours(&shapes), serde_json::to_vec(&shapes).unwrap());
    let odds = (Unit, Pair(1.5, ()), i128::MIN, u64::MAX, f64::NAN, true, 'é', [1u8, 2].as_slice());
    assert_eq!(ours(&odds), serde_json::to_vec(&odds).unwrap());
    let keys: BTreeMap<i32, Vec<&str>> = [(-1, vec![]), (2, vec!["a", "b"])].into();
    assert_eq!(ours(&keys), serde_json::to_vec(&keys).unwrap());
    let flags: BTreeMap<bool, ()> = [(true, ())].into();
    assert_eq!(ours(&flags), serde_json::to_vec(&flags).unwrap());
}

#[test]
fn a_list_is_no_key() {
    let keys: BTreeMap<Vec<u8>, u8> = [(vec![1], 1)].into();
    assert!(write(&mut Vec::new(), &keys).is_err());
    assert!(serde_json::to_vec(&keys).is_err());
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,40}".prop_map(Value::from),
        "[\\x00-\\x7f]{0,40}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            proptest::collection::vec((".{0,9}", inner), 0..6)
                .prop_map(|pairs| json!(pairs.into_iter().collect::<serde_json::Map<_, _>>())),
        ]
    })
}

proptest! {
    #[test]
    fn any_value_is_spelled_as_serde_json_spells_it(value in any_value()) {
        prop_assert_eq!(ours(&value), serde_json::to_vec(&value).unwrap());
    }

    #[test]
    fn escapes_are_found_wherever_they_are(before in "[a-zé\u{7f}\u{80}]{0,20}", byte in 0u8..128, after in "[ -~]{0,20}") {
        let text = format!("{before}{}{after}", char::from(byte));
        prop_assert_eq!(ours(&text), serde_json::to_vec(&text).unwrap());
    }
}
