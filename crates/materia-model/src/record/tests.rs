//! A line has the same bytes in every version and round-trips; damage is detected.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn encoded<T: Serialize + ?Sized>(data: &T) -> Result<Vec<u8>, RecordWriteError> {
    let mut out = Vec::new();
    encode(&mut out, 7, Timestamp::from_millis(0), "note", data)?;
    Ok(out)
}

/// The data of a line, as text.
#[track_caller]
fn data_of<T: Serialize + ?Sized>(data: &T) -> String {
    let line = String::from_utf8(encoded(data).unwrap()).unwrap();
    let rest = line
        .strip_prefix(r#"{"seq":7,"at":"1970-01-01T00:00:00.000Z","type":"note","data":"#)
        .unwrap();
    rest[..rest.len() - SUM_TAIL - 1].to_owned()
}

#[test]
fn a_record_is_one_readable_line() {
    let line = encoded(&json!({"text": "hi\n"})).unwrap();
    let expected = concat!(
        r#"{"seq":7,"at":"1970-01-01T00:00:00.000Z","type":"note","data":{"text":"hi\n"},"#,
        r#""sum":"57b74fe5"}"#,
        "\n"
    );
    assert_eq!(String::from_utf8(line).unwrap(), expected);
}

#[derive(Serialize)]
enum Shape {
    Unit,
    Newtype(u8),
    Tuple(i8, char),
    Struct { name: Option<&'static str> },
}

#[test]
fn the_json_of_every_type_stays_the_same() {
    let shapes = [
        Shape::Unit,
        Shape::Newtype(7),
        Shape::Tuple(-3, '"'),
        Shape::Struct { name: None },
    ];
    assert_eq!(
        data_of(&shapes),
        r#"["Unit",{"Newtype":7},{"Tuple":[-3,"\""]},{"Struct":{"name":null}}]"#
    );
    assert_eq!(
        data_of(&(u64::MAX, i64::MIN, true, (), "", [0u8; 0])),
        r#"[18446744073709551615,-9223372036854775808,true,null,"",[]]"#
    );
    assert_eq!(
        data_of(&[1.0, -0.0, 0.1, 1e16, 5e-324, f64::NAN, f64::INFINITY]),
        "[1.0,-0.0,0.1,1e+16,5e-324,null,null]"
    );
    let numbers: BTreeMap<i32, Vec<&str>> = [(-1, vec![]), (2, vec!["a", "b"])].into();
    assert_eq!(data_of(&numbers), r#"{"-1":[],"2":["a","b"]}"#);
    let flags: BTreeMap<bool, BTreeMap<u8, u8>> = [(true, BTreeMap::new())].into();
    assert_eq!(data_of(&flags), r#"{"true":{}}"#);
}

#[test]
fn the_escapes_of_text_stay_the_same() {
    let controls: String = ('\0'..' ').collect();
    assert_eq!(
        data_of(&controls),
        concat!(
            r#""\u0000\u0001\u0002\u0003\u0004\u0005\u0006\u0007\b\t\n\u000b\f\r\u000e\u000f"#,
            r#"\u0010\u0011\u0012\u0013\u0014\u0015\u0016\u0017\u0018\u0019\u001a\u001b"#,
            r#"\u001c\u001d\u001e\u001f""#
        )
    );
    assert_eq!(
        data_of("\"\\/ \u{7f}é\u{2028}🦀"),
        "\"\\\"\\\\/ \u{7f}é\u{2028}🦀\""
    );
}

#[test]
fn too_long_a_record_leaves_nothing_behind() {
    let mut out = b"before\n".to_vec();
    let long = "x".repeat(MAX_LINE_BYTES);
    let error = encode(&mut out, 1, Timestamp::from_millis(0), "note", &long).unwrap_err();
    assert!(matches!(error, RecordWriteError::TooLong(_)));
    assert_eq!(out, b"before\n");
}

#[test]
fn the_longest_record_is_read_back() {
    let around = encoded("").unwrap().len();
    let longest = encoded(&"x".repeat(MAX_LINE_BYTES - around)).unwrap();
    assert_eq!(longest.len(), MAX_LINE_BYTES);
    assert_eq!(check(&longest[..longest.len() - 1]), Ok(7));
    let error = encoded(&"x".repeat(MAX_LINE_BYTES - around + 1)).unwrap_err();
    assert!(matches!(error, RecordWriteError::TooLong(bytes) if bytes == MAX_LINE_BYTES + 1));
}

#[test]
fn a_list_is_no_key() {
    let keys: BTreeMap<Vec<u8>, u8> = [(vec![1], 1)].into();
    assert!(matches!(encoded(&keys), Err(RecordWriteError::Json(_))));
}

#[test]
fn what_cannot_be_read_again_is_not_written() {
    let list = |levels| (0..levels).fold(json!(1), |inner, _| json!([inner]));
    let object = |levels| (0..levels).fold(json!({}), |inner, _| json!({ "in": inner }));
    for (levels, data) in (0..=MAX_DEPTH)
        .map(|levels| (levels, list(levels)))
        .chain((0..MAX_DEPTH).map(|levels| (levels, object(levels))))
    {
        let line = encoded(&data).unwrap();
        let seq = decode(&line[..line.len() - 1]).map(|record| record.seq);
        assert_eq!(seq, Ok(7), "{levels} levels");
    }
    for data in (MAX_DEPTH + 1..300)
        .map(list)
        .chain((MAX_DEPTH..300).map(object))
    {
        let mut out = b"before\n".to_vec();
        let error = encode(&mut out, 7, Timestamp::from_millis(0), "note", &data).unwrap_err();
        let RecordWriteError::Json(source) = error else {
            panic!("{error:?}");
        };
        assert_eq!(source.to_string(), "it nests deeper than 120 levels");
        assert_eq!(out, b"before\n");
    }
}

#[test]
fn depth_counts_what_is_open_and_not_what_was() {
    let beside = vec![json!([[], {}]); MAX_DEPTH * 2];
    assert!(encoded(&beside).is_ok());
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(kind in "[a-z_]{1,12}|.{0,6}", text in ".{0,40}", seq: u64, millis in 0i64..4_000_000_000_000) {
        let at = Timestamp::from_millis(millis);
        let mut out = Vec::new();
        encode(&mut out, seq, at, &kind, &text).unwrap();
        let record = decode(&out[..out.len() - 1]).unwrap();
        prop_assert_eq!(check(&out[..out.len() - 1]), Ok(seq));
        prop_assert_eq!(sum_of(&out), Some(checksum(&out[..out.len() - 1 - SUM_TAIL])));
        prop_assert!((0..out.len()).all(|cut| could_begin(&out[..cut])));
        prop_assert_eq!(record, Record { seq, at, kind, data: Value::String(text) });
    }

    #[test]
    fn any_flipped_byte_is_noticed(at in 0usize..90, flip in 1u8..=255) {
        let mut line = encoded(&json!({"text": "something"})).unwrap();
        line.pop();
        let at = at % line.len();
        line[at] ^= flip;
        prop_assert!(decode(&line).is_err());
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(decode(&bytes).is_err());
        prop_assert!(check(&bytes).is_err());
    }
}
