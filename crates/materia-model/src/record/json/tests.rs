//! What is written is what `serde_json` would have written, byte for byte.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde::Serialize;
use serde_json::{Value, json};

use super::{Sheet, write};

fn ours<T: Serialize>(data: &T) -> Vec<u8> {
    let mut out = Sheet::default();
    write(&mut out, data).unwrap();
    out.as_bytes().to_vec()
}

#[derive(Serialize)]
enum Shape {
    Unit,
    Newtype(u8),
    Tuple(i8, char),
    Struct {
        name: Option<&'static str>,
        nested: Box<Shape>,
    },
}

#[derive(Serialize)]
struct Unit;

#[derive(Serialize)]
struct Pair(f32, ());

#[test]
fn every_shape_is_spelled_as_serde_json_spells_it() {
    let nested = Shape::Struct {
        name: None,
        nested: Box::new(Shape::Tuple(-3, '"')),
    };
    let shapes = vec![Shape::Unit, Shape::Newtype(7), nested];
    assert_eq!(ours(&shapes), serde_json::to_vec(&shapes).unwrap());
    let odds = (
        Unit,
        Pair(1.5, ()),
        i128::MIN,
        u64::MAX,
        f64::NAN,
        true,
        'é',
        [1u8, 2].as_slice(),
    );
    assert_eq!(ours(&odds), serde_json::to_vec(&odds).unwrap());
    let keys: BTreeMap<i32, Vec<&str>> = [(-1, vec![]), (2, vec!["a", "b"])].into();
    assert_eq!(ours(&keys), serde_json::to_vec(&keys).unwrap());
    let flags: BTreeMap<bool, ()> = [(true, ())].into();
    assert_eq!(ours(&flags), serde_json::to_vec(&flags).unwrap());
}

#[test]
fn a_list_is_no_key() {
    let keys: BTreeMap<Vec<u8>, u8> = [(vec![1], 1)].into();
    assert!(write(&mut Sheet::default(), &keys).is_err());
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

    #[test]
    fn long_text_is_spelled_as_serde_json_spells_it(text in "([ -~]{0,90}|[é\\n\\x01]){0,12}") {
        prop_assert_eq!(ours(&text), serde_json::to_vec(&text).unwrap());
    }
}

#[test]
fn an_escape_is_found_at_every_place_of_every_length() {
    for length in 0..=70 {
        for place in 0..length {
            for odd in ["\u{1f}", "\"", "\\", " ", "\u{7f}"] {
                let text = format!(
                    "{}{odd}{}",
                    "x".repeat(place),
                    "#".repeat(length - place - 1)
                );
                assert_eq!(ours(&text), serde_json::to_vec(&text).unwrap());
                assert_eq!(
                    ours(&BTreeMap::from([(&text, &text)])),
                    serde_json::to_vec(&json!({&text: &text})).unwrap()
                );
            }
        }
    }
}

#[derive(Serialize)]
struct Named {
    #[serde(rename = "")]
    none: u8,
    #[serde(rename = "é")]
    two: u8,
    #[serde(rename = "a\"b")]
    quoted: u8,
    #[serde(rename = "back\\slash in a name")]
    slashed: u8,
    #[serde(rename = "a name that is as long as 32 is..")]
    long: u8,
    #[serde(rename = "a name of thirty-two characters.")]
    longest: u64,
}

#[test]
fn odd_names_are_spelled_as_serde_json_spells_them() {
    let named = Named {
        none: 0,
        two: 9,
        quoted: 10,
        slashed: 99,
        long: 100,
        longest: u64::MAX,
    };
    assert_eq!(ours(&named), serde_json::to_vec(&named).unwrap());
}
