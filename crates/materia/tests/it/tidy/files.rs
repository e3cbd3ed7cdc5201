//! Files: each has a header, a parent module that declares it, a limited length, and no unfinished
//! code.

use super::{Tree, assert_none, bad_lines};

const MAX_LINES: usize = 600;
/// Biome wraps lines at 100 columns, but not strings and comments.
const MAX_CLIENT_COLUMNS: usize = 120;

#[test]
fn every_module_has_a_header() {
    let tree = Tree::read();
    let bare = tree.rust("").filter(|file| !file.text.starts_with("//! "));
    assert_none(
        &bare
            .map(|file| format!("{}: no `//!` header", file.path))
            .collect::<Vec<_>>(),
    );
}

#[test]
fn no_file_is_too_long() {
    let tree = Tree::read();
    let long = tree
        .rust("")
        .filter(|file| file.text.lines().count() > MAX_LINES);
    assert_none(
        &long
            .map(|file| format!("{}: over {MAX_LINES} lines", file.path))
            .collect::<Vec<_>>(),
    );
}

#[test]
fn no_line_of_the_client_is_too_wide() {
    let tree = Tree::read();
    let client = tree
        .files
        .iter()
        .filter(|file| file.path.starts_with("web/src/") || file.path.starts_with("web/test/"));
    let wide = bad_lines(client, |_, line| {
        (line.chars().count() > MAX_CLIENT_COLUMNS)
            .then(|| format!("over {MAX_CLIENT_COLUMNS} columns"))
    });
    assert_none(&wide);
}

#[test]
fn no_file_is_forgotten() {
    let tree = Tree::read();
    let mut offences = Vec::new();
    for file in tree.rust("") {
        let (folder, name) = file.path.rsplit_once('/').unwrap();
        let name = name.trim_end_matches(".rs");
        if matches!(name, "main" | "lib" | "build") || folder.ends_with("/examples") {
            continue;
        }
        let parents = [
            format!("{folder}.rs"),
            format!("{folder}/lib.rs"),
            format!("{folder}/main.rs"),
        ];
        let declared = parents
            .iter()
            .filter_map(|path| tree.get(path))
            .any(|parent| {
                let declares = |line: &str| line.trim_end().ends_with(&format!("mod {name};"));
                parent.text.lines().any(declares)
            });
        if !declared {
            offences.push(format!("{}: no parent says `mod {name};`", file.path));
        }
    }
    assert_none(&offences);
}

#[test]
fn no_snapshot_is_forgotten() {
    let tree = Tree::read();
    let snapshots = tree
        .files
        .iter()
        .filter(|file| file.path.ends_with(".snap"));
    let orphaned = snapshots.filter(|file| {
        let name = file
            .path
            .rsplit('/')
            .next()
            .unwrap()
            .trim_end_matches(".snap");
        let test = name.rsplit("__").next().unwrap();
        let test = test
            .trim_end_matches(|c: char| c.is_ascii_digit())
            .trim_end_matches('-');
        !tree.rust("").any(|source| source.text.contains(test))
    });
    assert_none(
        &orphaned
            .map(|file| format!("{}: no test uses it", file.path))
            .collect::<Vec<_>>(),
    );
}

#[test]
fn no_code_is_marked_as_unfinished() {
    let marks = [
        concat!("to", "do!("),
        concat!("unimple", "mented!("),
        concat!("FIX", "ME"),
        concat!("#[ign", "ore"),
    ];
    let tree = Tree::read();
    let offences = bad_lines(tree.rust(""), |_, line| {
        marks
            .iter()
            .find(|mark| line.contains(**mark))
            .map(|mark| format!("unfinished: {mark}"))
    });
    assert_none(&offences);
}

#[test]
fn product_code_never_sleeps() {
    let tree = Tree::read();
    let offences = bad_lines(tree.rust("crates/"), |file, line| {
        let sleeps = line.contains("thread::sleep(") || line.contains("time::sleep(");
        (sleeps && file.path.contains("/src/"))
            .then(|| "sleeps; wait for an event instead".to_owned())
    });
    assert_none(&offences);
}

/// The directories in which system calls may need unsafe code.
const UNSAFE_FOLDERS: [&str; 2] = [
    "crates/materia-engine/src/process/",
    "crates/materia-engine/src/sandbox/",
];

#[test]
fn only_the_system_interface_is_unsafe() {
    let (lint, block) = (concat!("unsafe", "_code"), concat!("unsafe", " {"));
    let tree = Tree::read();
    let denied = format!("{lint} = \"deny\"");
    assert!(tree.file("Cargo.toml").text.contains(&denied));
    for krate in [
        "crates/materia-model",
        "crates/materia-engine",
        "crates/materia-library",
        "crates/materia",
        "bench",
    ] {
        let manifest = &tree.file(&format!("{krate}/Cargo.toml")).text;
        assert!(
            manifest.contains("[lints]\nworkspace = true"),
            "{krate} does not take the workspace's lints"
        );
    }
    let mut offences = bad_lines(tree.rust(""), |file, line| {
        let allowed = UNSAFE_FOLDERS
            .iter()
            .any(|folder| file.path.starts_with(folder));
        (line.contains(lint) && !allowed).then(|| format!("lifts the lint `{lint}`"))
    });
    for file in tree.rust("") {
        let lines: Vec<&str> = file.text.lines().map(str::trim).collect();
        let blocks = (0..lines.len()).filter(|index| lines[*index].contains(block));
        for index in blocks {
            let mut comment = lines[..index]
                .iter()
                .rev()
                .take_while(|line| line.starts_with("//"));
            if !comment.any(|line| line.starts_with("// SAFETY:")) {
                offences.push(format!("{}:{}: no `// SAFETY:`", file.path, index + 1));
            }
        }
    }
    assert_none(&offences);
}

#[test]
fn no_file_reads_outside_of_the_checkout() {
    let outside = [
        concat!("join(\"../../", "../"),
        concat!("../sha", "red"),
        concat!("\"..\", \"..\", \"..", "\""),
    ];
    let tree = Tree::read();
    let offences = bad_lines(tree.files.iter(), |_, line| {
        let path = outside.iter().find(|path| line.contains(**path))?;
        Some(format!("path outside of the checkout: {path}"))
    });
    assert_none(&offences);
}

#[test]
fn tests_that_need_tools_are_in_their_modules() {
    let tree = Tree::read();
    let offences = bad_lines(tree.rust("crates/materia/tests/it"), |file, line| {
        if line.contains(concat!("\"C", "I\"")) {
            return Some("a test must not depend on CI".to_owned());
        }
        // `./test --no-install` excludes modules by the name of the tool.
        let (call, module) = [
            (concat!("AgentHarness::", "new("), "needs_agents"),
            (concat!("tools::", "agents()"), "needs_agents"),
            (concat!("tools::", "jj()"), "needs_jj"),
            (concat!("tools::", "cannot_mount("), "needs_mount"),
        ]
        .into_iter()
        .find(|(call, _)| line.contains(call))?;
        let is_inside =
            file.path.contains(module) || file.text.contains(&format!("mod {module} {{"));
        (!is_inside && !file.path.ends_with("agent/harness.rs"))
            .then(|| format!("`{call}` outside of a module `{module}`"))
    });
    assert_none(&offences);
}

#[test]
fn the_test_script_knows_every_needs_module() {
    let tree = Tree::read();
    let known = tree.file("test").text.as_str();
    let line = known
        .lines()
        .find_map(|line| {
            line.trim()
                .strip_prefix("for tool in ")?
                .strip_suffix("; do")
        })
        .expect("the list of tools in `all_tests`");
    let known: Vec<&str> = line.split_whitespace().collect();
    let offences = bad_lines(tree.rust("crates"), |_, line| {
        let tool = line.trim().strip_prefix("mod needs_")?;
        let tool = tool.trim_end_matches([';', '{', ' ']);
        (!known.contains(&tool)).then(|| format!("`./test` does not know `needs_{tool}`"))
    });
    assert_none(&offences);
}
