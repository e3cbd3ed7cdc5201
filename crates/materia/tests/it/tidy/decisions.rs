//! Decisions: every id in a comment or a vector has an anchor in `docs/design/decisions.md`.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use super::{Tree, assert_none, bad_lines};

const PAGE: &str = "docs/design/decisions.md";
/// The letters of ids: templates, recipes, actors, casts, security, fleet, build, promises.
const LETTERS: &str = "TRACSFBP";

/// The ids of the anchors on the page, in order.
fn anchors(tree: &Tree) -> Vec<&str> {
    let lines = tree.file(PAGE).text.lines();
    lines
        .filter_map(|line| line.strip_prefix("<a id=\"")?.split('"').next())
        .collect()
}

/// The ids in a text. Text in backticks is skipped, because `S1` is often a socket.
fn ids(text: &str) -> impl Iterator<Item = &str> {
    let plain = text.split('`').step_by(2);
    let words = plain.flat_map(|part| part.split(|c: char| !c.is_alphanumeric() && c != '_'));
    words.filter(|word| {
        let number = word.strip_prefix(|letter| LETTERS.contains(letter));
        number.is_some_and(|number| {
            (1..=2).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit())
        })
    })
}

#[test]
fn ids_are_found_in_every_form() {
    let found = |text| ids(text).collect::<Vec<_>>();
    assert_eq!(found("(T21)"), ["T21"]);
    assert_eq!(
        found("C2: limits (A12, A5; R1 to R3)"),
        ["C2", "A12", "A5", "R1", "R3"]
    );
    assert_eq!(found("reported (A2–A5)"), ["A2", "A5"]);
    assert!(found("the socket `S1`, P100, UTF8, T, x_T1").is_empty());
}

#[test]
fn every_decision_in_a_comment_has_an_anchor() {
    let tree = Tree::read();
    let known: BTreeSet<&str> = anchors(&tree).into_iter().collect();
    let mut named = BTreeSet::new();
    for file in tree.rust("") {
        let comments = file.text.lines().filter_map(|line| line.split_once("//"));
        named.extend(comments.flat_map(|(_, comment)| ids(comment)));
    }
    assert!(named.len() > 60, "too few decisions in comments: {named:?}");
    let offences = bad_lines(tree.rust(""), |_, line| {
        let (_, comment) = line.split_once("//")?;
        let unknown = ids(comment).find(|id| !known.contains(id))?;
        Some(format!("{PAGE} has no anchor for {unknown}"))
    });
    assert_none(&offences);
}

#[test]
fn every_decision_in_a_vector_has_an_anchor() {
    let tree = Tree::read();
    let known: BTreeSet<&str> = anchors(&tree).into_iter().collect();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors");
    for name in ["casts.jsonl", "templates.jsonl"] {
        let text = std::fs::read_to_string(folder.join(name)).unwrap();
        let vectors = text
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        let mut checked = 0;
        for vector in vectors {
            for id in vector["decision"]
                .as_str()
                .unwrap_or_default()
                .split_whitespace()
            {
                assert!(known.contains(id), "{name}: {} names {id}", vector["id"]);
                checked += 1;
            }
        }
        assert!(checked > 50, "too few decisions in {name}");
    }
}

#[test]
fn anchors_are_unique_and_numbered_without_gaps() {
    let tree = Tree::read();
    let anchors = anchors(&tree);
    for letter in LETTERS.chars() {
        let numbers: Vec<usize> = anchors
            .iter()
            .filter_map(|id| id.strip_prefix(letter)?.parse().ok())
            .collect();
        let expected: Vec<usize> = (1..=numbers.len()).collect();
        assert!(!numbers.is_empty(), "{PAGE} has no {letter}");
        assert_eq!(numbers, expected, "{PAGE}: the ids with {letter}");
    }
}

#[test]
fn each_decision_starts_with_its_id() {
    let tree = Tree::read();
    let offences = bad_lines(std::iter::once(tree.file(PAGE)), |_, line| {
        let (id, rest) = line.strip_prefix("<a id=\"")?.split_once("\"></a>**")?;
        let shown = rest.split([' ', '*']).next()?;
        (shown != id).then(|| format!("the anchor {id} is at {shown}"))
    });
    assert_none(&offences);
}
