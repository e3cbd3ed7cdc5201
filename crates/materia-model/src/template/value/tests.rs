//! Tables of values, per type.

use serde_json::json;

use super::*;

fn fit(ty: &str, value: Value) -> Option<Value> {
    ValueType::parse(ty)
        .unwrap()
        .fit(Cow::Owned(value))
        .map(Cow::into_owned)
}

#[test]
fn t6_values_are_made_to_fit_or_refused() {
    for (ty, given, expected) in [
        ("int", json!(5), json!(5)),
        ("int", json!(5.0), json!(5)),
        ("int", json!(" -3 "), json!(-3)),
        ("number", json!("1.50"), json!(1.5)),
        ("number", json!(".5"), json!(0.5)),
        ("number", json!("-2"), json!(-2)),
        ("bool", json!("YES"), json!(true)),
        ("bool", json!(" 0 "), json!(false)),
        ("array", json!("[1,\"a\"]"), json!([1, "a"])),
        ("array", json!([]), json!([])),
        ("enum(a,b)", json!("b"), json!("b")),
        ("path", json!("~/x"), json!("~/x")),
        ("string", json!(5), json!(5)),
        ("int", json!(null), json!(null)),
    ] {
        assert_eq!(fit(ty, given.clone()), Some(expected), "{given} as {ty}");
    }
    for (ty, given) in [
        ("int", json!(5.5)),
        ("int", json!("1.5")),
        ("int", json!("+3")),
        ("int", json!("")),
        ("int", json!(true)),
        ("int", json!("99999999999999999999")),
        ("number", json!("5.")),
        ("number", json!("1e3")),
        ("number", json!(".")),
        ("number", json!("-")),
        ("number", json!("inf")),
        ("bool", json!(1)),
        ("bool", json!("on")),
        ("bool", json!("")),
        ("array", json!("1,2")),
        ("enum(a,b)", json!("A")),
        ("path", json!(["a"])),
    ] {
        assert_eq!(fit(ty, given.clone()), None, "{given} as {ty}");
    }
}

#[test]
fn t7_missing_empty_false_zero_and_no_are_false() {
    for no in [
        json!(null),
        json!(""),
        json!(" NO "),
        json!("0"),
        json!("False"),
        json!(0),
        json!(0.0),
        json!([]),
    ] {
        assert!(!is_truthy(&no), "{no}");
    }
    for yes in [
        json!("off"),
        json!("null"),
        json!("0.0"),
        json!("n"),
        json!(-1),
        json!([0]),
        json!({}),
        json!(true),
    ] {
        assert!(is_truthy(&yes), "{yes}");
    }
}

#[test]
fn t23_values_render_as_text_or_compact_json() {
    for (value, expected) in [
        (json!("x {y}"), "x {y}"),
        (json!(3), "3"),
        (json!(1.5), "1.5"),
        (json!(true), "true"),
        (json!(null), ""),
        (json!(["x", 1]), "[\"x\",1]"),
        (json!({"k": [1]}), "{\"k\":[1]}"),
    ] {
        assert_eq!(render(&value), expected);
    }
}

#[test]
fn types_are_read_strictly_and_written_back() {
    for ty in [
        "string",
        "path",
        "int",
        "number",
        "bool",
        "array",
        "enum(check,fix)",
    ] {
        assert_eq!(ValueType::parse(ty).unwrap().to_string(), ty);
    }
    for bad in ["", "Int", "enum()", "enum(a,)", "enum(a", "integer"] {
        assert!(ValueType::parse(bad).is_err(), "{bad} was accepted");
    }
    assert_eq!(ValueType::suggestion("boolx"), "did you mean `bool`?");
}
