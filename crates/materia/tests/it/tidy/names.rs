//! Names: a public type's name identifies it within its crate.

use std::collections::BTreeMap;

use super::{Tree, assert_none};

const CRATES: [&str; 4] = [
    "crates/materia-model",
    "crates/materia-engine",
    "crates/materia-library",
    "crates/materia",
];

/// The name of the type that a line declares, if it is visible outside of its module.
fn declared_type(line: &str) -> Option<&str> {
    let line = line.trim_start().strip_prefix("pub")?;
    let line = match line.strip_prefix('(') {
        Some(scope) => scope.split_once(") ")?.1,
        None => line.strip_prefix(' ')?,
    };
    let name = ["struct ", "enum ", "trait ", "type ", "union "]
        .iter()
        .find_map(|keyword| line.strip_prefix(keyword))?;
    let end = name.find(|c: char| !c.is_alphanumeric() && c != '_');
    Some(&name[..end.unwrap_or(name.len())])
}

#[test]
fn no_two_types_of_a_crate_share_a_name() {
    let tree = Tree::read();
    let mut offences = Vec::new();
    for krate in CRATES {
        let mut declared: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        let folder = format!("{krate}/src/");
        let files = tree
            .rust(&folder)
            .filter(|file| !file.path.contains("/tests"));
        for file in files {
            for name in file.text.lines().filter_map(declared_type) {
                declared.entry(name).or_default().push(&file.path);
            }
        }
        assert!(declared.len() > 5, "no types were found in {krate}");
        // Each module may have an `Error`; everywhere else it is named with its module.
        declared.remove("Error");
        offences.extend(
            declared
                .iter()
                .filter(|(_, files)| files.len() > 1)
                .map(|(name, files)| format!("`{name}` is declared in {}", files.join(" and "))),
        );
    }
    assert_none(&offences);
}

#[test]
fn a_declaration_is_recognized_with_any_visibility() {
    assert_eq!(declared_type("pub struct RunDir {"), Some("RunDir"));
    assert_eq!(declared_type("    pub(super) enum A<T> {"), Some("A"));
    assert_eq!(declared_type("pub(in crate::web) type B = u8;"), Some("B"));
    assert_eq!(declared_type("struct Private;"), None);
    assert_eq!(declared_type("pub fn structure() {"), None);
}
