//! Documents: they exist, stay short, have valid links, and contain no paths of a machine.

use super::{Tree, assert_none, bad_lines};

#[test]
fn the_standard_documents_exist() {
    let tree = Tree::read();
    for path in [
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "AGENTS.md",
    ] {
        assert!(!tree.file(path).text.trim().is_empty(), "{path} is empty");
    }
    for path in ["LICENSE-MIT", "LICENSE-APACHE", "test", ".ci/run"] {
        tree.file(path);
    }
    assert!(
        tree.file("AGENTS.md").text.lines().count() <= 20,
        "AGENTS.md has at most 20 lines"
    );
    assert!(
        tree.file("ARCHITECTURE.md").text.lines().count() <= 300,
        "ARCHITECTURE.md has at most 300 lines"
    );
}

#[test]
fn every_promise_of_the_readme_names_an_existing_test() {
    let tree = Tree::read();
    let readme = &tree.file("README.md").text;
    for number in 1..=8 {
        let row = readme
            .lines()
            .find(|line| line.starts_with(&format!("| P{number} |")))
            .expect("no row for this promise");
        let tests: Vec<&str> = row
            .split('`')
            .filter(|word| word.starts_with("tests/it/"))
            .collect();
        assert!(!tests.is_empty(), "P{number} names no test");
        for test in tests {
            tree.file(&format!("crates/materia/{test}"));
        }
    }
    assert!(
        readme.lines().count() <= 90,
        "README.md has at most 90 lines"
    );
}

#[test]
fn the_architecture_names_every_module() {
    let tree = Tree::read();
    let page = &tree.file("ARCHITECTURE.md").text;
    let mut offences = Vec::new();
    for krate in [
        "crates/materia-model",
        "crates/materia-engine",
        "crates/materia-library",
        "crates/materia",
    ] {
        let library = &tree.file(&format!("{krate}/src/lib.rs")).text;
        for module in library
            .lines()
            .filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'))
        {
            if !page.contains(&format!("`{module}`")) {
                offences.push(format!(
                    "ARCHITECTURE.md does not name `{module}` of {krate}"
                ));
            }
        }
    }
    assert_none(&offences);
}

#[test]
fn the_architecture_names_only_files_and_tests_that_exist() {
    let tree = Tree::read();
    let page = std::iter::once(tree.file("ARCHITECTURE.md"));
    let offences = bad_lines(page, |_, line| {
        let mut names = line.split('`').skip(1).step_by(2);
        let missing = names.find(|name| !exists(&tree, name))?;
        Some(format!("`{missing}` does not exist"))
    });
    assert_none(&offences);
}

/// Whether a name is neither a file nor a tidy test, or one that exists.
fn exists(tree: &Tree, name: &str) -> bool {
    let words: Vec<&str> = name.split("::").collect();
    match words[..] {
        ["tidy", module, ..] => {
            let test = words
                .get(2)
                .map_or(String::new(), |test| format!("fn {test}()"));
            tree.get(&format!("crates/materia/tests/it/tidy/{module}.rs"))
                .is_some_and(|file| file.text.contains(&test))
        }
        _ if name.ends_with(".rs") => {
            let path = format!("/{name}");
            tree.files.iter().any(|file| file.path.ends_with(&path))
        }
        _ => true,
    }
}

#[test]
fn links_between_documents_are_valid() {
    let tree = Tree::read();
    let pages = tree.files.iter().filter(|file| file.path.ends_with(".md"));
    let offences = bad_lines(pages, |file, line| {
        let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        line.split("](").skip(1).find_map(|rest| {
            let target = rest.split([')', '#']).next()?;
            let outside =
                target.is_empty() || target.contains("://") || target.starts_with("mailto:");
            let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("../..")
                .join(folder)
                .join(target);
            (!outside && !path.exists()).then(|| format!("the link to `{target}` is broken"))
        })
    });
    assert_none(&offences);
}

#[test]
fn links_to_headings_are_valid() {
    let tree = Tree::read();
    let pages = tree.files.iter().filter(|file| file.path.ends_with(".md"));
    let offences = bad_lines(pages, |file, line| {
        let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        line.split("](").skip(1).find_map(|rest| {
            let (target, heading) = rest.split(')').next()?.split_once('#')?;
            if target.contains("://") {
                return None;
            }
            let path = if target.is_empty() {
                file.path.clone()
            } else {
                resolve(folder, target)
            };
            let page = tree.get(&path)?;
            let anchor = format!("<a id=\"{heading}\"></a>");
            let found = page
                .text
                .lines()
                .any(|line| line.starts_with(&anchor) || is_heading(line, heading));
            (!found).then(|| format!("{path} has no heading for `#{heading}`"))
        })
    });
    assert_none(&offences);
}

/// Joins a path to a directory and resolves `..`.
fn resolve(folder: &str, target: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/') {
        match part {
            ".." => drop(parts.pop()),
            "." => {}
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// Whether a line is the heading with this anchor.
fn is_heading(line: &str, name: &str) -> bool {
    line.strip_prefix('#')
        .is_some_and(|heading| slug(heading) == name)
}

/// The anchor of a heading.
fn slug(line: &str) -> String {
    let text = line.trim_start_matches('#').trim().to_lowercase();
    text.chars()
        .filter(|c| c.is_alphanumeric() || " -_".contains(*c))
        .collect::<String>()
        .replace(' ', "-")
}

#[test]
fn every_concept_design_and_guide_page_is_in_its_index() {
    let tree = Tree::read();
    let mut offences = Vec::new();
    for folder in ["docs/concept", "docs/design", "docs/guide"] {
        let index = &tree.file(&format!("{folder}/README.md")).text;
        for page in tree
            .files
            .iter()
            .filter_map(|file| file.path.strip_prefix(folder)?.strip_prefix('/'))
        {
            if page != "README.md" && !index.contains(&format!("({page})")) {
                offences.push(format!("{folder}/README.md does not list {page}"));
            }
        }
    }
    assert_none(&offences);
}

#[test]
fn no_file_contains_paths_of_a_machine() {
    let paths = [
        concat!("/wo", "rk/"),
        concat!("/ro", "ot/"),
        concat!("crates.io", "-internal"),
    ];
    let tree = Tree::read();
    let offences = bad_lines(tree.files.iter(), |_, line| {
        paths
            .iter()
            .find(|path| line.contains(**path))
            .map(|path| format!("path of a machine: {path}"))
    });
    assert_none(&offences);
}
