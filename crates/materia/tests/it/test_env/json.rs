//! Checks of JSON documents.

use serde_json::Value;

/// Asserts that a JSON document has these fields with these values; further fields are ignored.
///
/// Objects are compared field by field, everything else must be equal. `null` also stands for a
/// field that is missing. A failure prints the whole document.
macro_rules! assert_has {
    ($document:expr, $fields:tt $(,)?) => {
        $crate::test_env::json::assert_fields(&$document, &serde_json::json!($fields), "")
    };
    ($document:expr, $fields:tt, $($message:tt)+) => {
        $crate::test_env::json::assert_fields(
            &$document,
            &serde_json::json!($fields),
            &format!($($message)+),
        )
    };
}

/// The function behind [`assert_has!`].
#[track_caller]
pub fn assert_fields(document: &Value, fields: &Value, message: &str) {
    let mut differences = Vec::new();
    compare(document, fields, "", &mut differences);
    assert!(
        differences.is_empty(),
        "{message}\n{}\nin {document:#}",
        differences.join("\n")
    );
}

fn compare(actual: &Value, expected: &Value, path: &str, differences: &mut Vec<String>) {
    if let (Value::Object(_), Some(fields)) = (actual, expected.as_object()) {
        for (name, value) in fields {
            compare(&actual[name], value, &format!("{path}/{name}"), differences);
        }
    } else if actual != expected {
        differences.push(format!("{path}: expected {expected}, found {actual}"));
    }
}

#[test]
fn missing_fields_and_other_values_are_reported_with_their_path() {
    let document = serde_json::json!({"a": {"b": 1, "c": 2}, "d": [1, {"e": 1}]});
    assert_has!(document, {"a": {"b": 1}, "d": [1, {"e": 1}], "f": null});
    for (fields, message) in [
        (
            serde_json::json!({"a": {"b": 2}}),
            "/a/b: expected 2, found 1",
        ),
        (serde_json::json!({"f": 1}), "/f: expected 1, found null"),
        (
            serde_json::json!({"d": [1]}),
            "/d: expected [1], found [1,{\"e\":1}]",
        ),
    ] {
        let mut differences = Vec::new();
        compare(&document, &fields, "", &mut differences);
        assert_eq!(differences, [message]);
    }
}
