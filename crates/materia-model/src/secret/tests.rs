//! Keys are redacted, words stay, and the result does not depend on the split.

use proptest::prelude::*;
use serde_json::json;

use super::*;

/// Joined at run time, so that this source file contains nothing that looks like a key.
fn key(prefix: &str, length: usize) -> String {
    let digits = "a1B2c3D4e5F6g7H8i9J0";
    format!(
        "{prefix}{}",
        digits.chars().cycle().take(length).collect::<String>()
    )
}

fn keys() -> Vec<String> {
    let capital = |prefix: &str| format!("{prefix}{}", "A1B2C3D4E5F6G7H8");
    vec![
        key("sk-", 40),
        key("sk-proj-", 60),
        key("ghp_", 36),
        key("github_pat_", 60),
        key("glpat-", 20),
        key("xoxb-", 24),
        key("AIza", 35),
        key("npm_", 36),
        key("hf_", 34),
        capital("AKIA"),
        format!("eyJ{}.eyJ{}.{}", key("", 20), key("", 30), key("", 40)),
    ]
}

fn shapes(text: &str) -> String {
    Secrets::shapes().redact_text(text).into_owned()
}

#[test]
fn s3_what_looks_like_a_key_is_taken_out_wherever_it_stands() {
    for key in keys() {
        for (before, after) in [
            ("", ""),
            ("token=", "\n"),
            ("{\"a\": \"", "\"}"),
            ("x\\n", "\\n"),
            ("(", ")."),
            ("ü", "ü"),
        ] {
            assert_eq!(
                shapes(&format!("{before}{key}{after}")),
                format!("{before}{REDACTED}{after}"),
                "{key}"
            );
        }
        assert_eq!(
            shapes(&format!("{key} {key},{key}")),
            format!("{REDACTED} {REDACTED},{REDACTED}")
        );
    }
    let bearer = key("", 30);
    assert_eq!(
        shapes(&format!("Authorization: Bearer {bearer}\n")),
        format!("Authorization: Bearer {REDACTED}\n")
    );
    for end in ["-----END RSA PRIVATE KEY-----\n", ""] {
        let begin = format!("-----BEGIN RSA {}-----\nMIIE\n", "PRIVATE KEY");
        let rest = if end.is_empty() { "" } else { "\n" };
        assert_eq!(
            shapes(&format!("a {begin}{end}")),
            format!("a {REDACTED}{rest}")
        );
    }
}

#[test]
fn s3_ordinary_text_stays_and_is_not_copied() {
    let words = "a task-force1234567890123456789, sk-short, sk-a-rather-long-name-without-any-number, AKIAshort, \
        ghp_ and npm_config_registry, eyJ.no, Bearer of good news, Bearer authentication-is-required, hf_transformers, \
        -----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----\n, pypi-server, xoxb-, SG.1, AIzawa 2026-01-01";
    assert!(
        matches!(Secrets::shapes().redact(words.as_bytes()), Cow::Borrowed(_)),
        "{}",
        shapes(words)
    );
    assert!(matches!(
        Secrets::shapes().redact(&[0xff; 100]),
        Cow::Borrowed(_)
    ));
    let data = key("sk-", 9000);
    assert_eq!(shapes(&data), data, "a long run of such characters is data");
}

#[test]
fn s3_values_of_variables_are_known_by_their_names() {
    let variables = [
        ("DEPLOY_TOKEN", "x7-\"quoted\"/z"),
        ("npm_config_password", "Hunter2Hunter2"),
        ("PLAIN", "nothing-secret-1"),
        ("DB_PASSWORD", "postgres"),
        ("KEY_FILE", "/home/me/key1"),
        ("MAX_TOKENS", "1234567890"),
        ("KEYBOARD", "layout-de-1"),
        ("MINE", "word"),
    ];
    let secrets = Secrets::new(variables, &["MINE"]);
    let clean = |text: &str| secrets.redact_text(text).into_owned();
    for open in [
        "nothing-secret-1 postgres /home/me/key1 1234567890 layout-de-1",
        "[redacted]",
    ] {
        assert_eq!(clean(open), open);
    }
    for secret in [
        "x7-\"quoted\"/z",
        "x7-\\\"quoted\\\"/z",
        "x7-%22quoted%22%2Fz",
        "eDctInF1b3RlZCIve",
        "Hunter2Hunter2",
        "word",
    ] {
        assert_eq!(
            clean(&format!("a{secret}b")),
            format!("a{REDACTED}b"),
            "{secret}"
        );
    }
    let mut document =
        json!({"a": ["x7-\"quoted\"/z", 1, null], "Hunter2Hunter2": {"b": "my word"}});
    secrets.redact_value(&mut document);
    assert_eq!(
        document,
        json!({"a": [REDACTED, 1, null], REDACTED: {"b": "my [redacted]"}})
    );
    assert!(!format!("{secrets:?}").contains("Hunter2"));
}

/// Text made of words, keys, values and the pieces of all of them.
fn text() -> impl Strategy<Value = String> {
    let mut parts: Vec<String> = keys();
    parts.extend(
        [
            "Bearer ",
            "-----BEGIN ",
            "PRIVATE KEY-----",
            "-----END ",
            "sk-",
            "\\n",
            " ",
            "ab12",
            "ü",
            "\"",
        ]
        .map(str::to_owned),
    );
    parts.extend([
        format!("Bearer {}", key("", 20)),
        "abab12abab12".to_owned(),
        "ab12abab1299".to_owned(),
    ]);
    let part = (
        prop::sample::select(parts),
        any::<prop::sample::Index>(),
        any::<bool>(),
    );
    let cut = part.prop_map(|(part, at, whole)| {
        let end = part.floor_char_boundary(at.index(part.len() + 1));
        if whole { part } else { part[..end].to_owned() }
    });
    prop::collection::vec(cut, 0..12).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn s3_pieces_come_out_as_the_whole_does(text in text(), cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6)) {
        let secrets = Secrets::new([("A_TOKEN", "abab12abab12"), ("B_TOKEN", "ab12abab1299")], &[]);
        let bytes = text.as_bytes();
        let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        places.extend([0, bytes.len()]);
        places.sort_unstable();
        let (mut stream, mut out) = (secrets.stream(), Vec::new());
        for pair in places.windows(2) {
            stream.push(&bytes[pair[0]..pair[1]], &mut out);
        }
        stream.finish(&mut out);
        let whole = secrets.redact(bytes).into_owned();
        prop_assert_eq!(String::from_utf8_lossy(&out), String::from_utf8_lossy(&whole));
    }

    #[test]
    fn s3_no_known_value_is_left(text in text()) {
        let secrets = Secrets::new([("A_TOKEN", "abab12abab12"), ("B_TOKEN", "ab12abab1299")], &[]);
        let clean = secrets.redact_text(&text).into_owned();
        prop_assert!(!clean.contains("abab12abab12") && !clean.contains("ab12abab1299"));
    }

    #[test]
    fn s3_any_bytes_are_taken(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = Secrets::shapes().redact(&bytes);
    }
}
