//! Modules and crates: `use` only goes down, front ends call the API, effects have one owner, agent
//! names one directory.

use super::{File, Tree, assert_none, bad_lines};

const CRATES: [&str; 4] = [
    "crates/materia-model",
    "crates/materia-engine",
    "crates/materia-library",
    "crates/materia",
];

/// The most lines that the API of the engine may have, without its tests.
const MAX_API_LINES: usize = 4000;

/// Files that may use what `clippy.toml` bans, each with the only banned things it may use.
const OWNERS: [(&str, &[&str]); 7] = [
    (
        "crates/materia-engine/src/clock.rs",
        &["Instant::", "SystemTime::", "getrandom"],
    ),
    (
        "crates/materia-engine/src/failpoint.rs",
        &["File::options", "process::abort"],
    ),
    ("crates/materia-engine/src/wake", &["OpenOptions"]),
    (
        "crates/materia-engine/src/store",
        &["fs::", "File::", "OpenOptions", "DirBuilder"],
    ),
    (
        "crates/materia-engine/src/process",
        &[
            "std::process::Command",
            "kill_process",
            "File::options",
            "env::var",
        ],
    ),
    (
        "crates/materia/src/main.rs",
        &["env::", "stdin()", "stdout()", "stderr()"],
    ),
    ("crates/materia/src/view", &["io::stdout", "io::stderr"]),
];

/// Texts in a source file that show an effect.
const EFFECTS: [&str; 12] = [
    "Instant::now",
    "SystemTime::now",
    "getrandom(",
    "std::process::Command",
    "kill_process(",
    "fs::write(",
    "fs::rename(",
    "fs::create_dir",
    "File::create",
    "io::stdout(",
    "io::stderr(",
    "env::var",
];

/// The modules of a crate, in the order of its `lib.rs`.
fn modules(tree: &Tree, krate: &str) -> Vec<String> {
    let text = &tree.file(&format!("{krate}/src/lib.rs")).text;
    let declared = text.lines().filter_map(|line| {
        line.strip_prefix("pub mod ")
            .or_else(|| line.strip_prefix("mod "))?
            .strip_suffix(';')
    });
    declared.map(str::to_owned).collect()
}

/// The module of a path: the first name below `src`.
fn module_of<'a>(krate: &str, path: &'a str) -> Option<&'a str> {
    let below = path.strip_prefix(krate)?.strip_prefix("/src/")?;
    below.split('/').next()?.split('.').next()
}

#[test]
fn modules_use_only_earlier_modules() {
    let tree = Tree::read();
    let mut offences = Vec::new();
    for krate in CRATES {
        let order = modules(&tree, krate);
        assert!(order.len() > 1, "no modules found in {krate}");
        let folder = format!("{krate}/src/");
        // Tests may use modules that build on their subject.
        let product = tree
            .rust(&folder)
            .filter(|file| !file.path.contains("/tests"));
        offences.extend(bad_lines(product, |file, line| {
            let own = order
                .iter()
                .position(|module| Some(module.as_str()) == module_of(krate, &file.path))?;
            let used = order
                .iter()
                .position(|module| mentions(line, &format!("crate::{module}")))?;
            (used > own).then(|| {
                format!(
                    "`{}` may not use `{}`, which comes after it",
                    order[own], order[used]
                )
            })
        }));
    }
    assert_none(&offences);
}

fn mentions(line: &str, path: &str) -> bool {
    line.match_indices(path).any(|(at, _)| {
        !line[at + path.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_')
    })
}

#[test]
fn crates_depend_downwards_only() {
    let tree = Tree::read();
    let manifest = |krate: &str| tree.file(&format!("{krate}/Cargo.toml")).text.clone();
    assert!(!manifest(CRATES[0]).contains("materia-engine"));
    assert!(
        !manifest(CRATES[0]).contains("rustix"),
        "the model does no IO"
    );
    for krate in &CRATES[1..3] {
        assert!(
            !manifest(krate)
                .lines()
                .any(|line| line.starts_with("materia.") || line.starts_with("materia =")),
            "{krate} uses the front ends"
        );
    }
    assert!(!manifest(CRATES[1]).contains("materia-library"));
}

#[test]
fn front_ends_do_not_use_each_other() {
    const FRONT_ENDS: [&str; 4] = ["cli", "tui", "mcp", "web"];
    let tree = Tree::read();
    let offences = bad_lines(tree.rust("crates/materia/src/"), |file, line| {
        let own =
            module_of("crates/materia", &file.path).filter(|module| FRONT_ENDS.contains(module))?;
        let used = FRONT_ENDS.iter().find(|front_end| {
            **front_end != own && mentions(line, &format!("crate::{front_end}"))
        })?;
        Some(format!("front end `{own}` uses front end `{used}`"))
    });
    assert_none(&offences);
}

#[test]
fn front_ends_import_nothing_of_the_engine_but_its_api() {
    let tree = Tree::read();
    let offences = bad_lines(tree.rust("crates/materia/src/"), |_, line| {
        let mut imports = line.split("materia_engine::").skip(1);
        imports
            .any(|import| import.split([':', ';']).next() != Some("api"))
            .then(|| "uses the engine past its API".to_owned())
    });
    assert_none(&offences);
}

/// The files of the engine's API, without their tests.
fn api_files(tree: &Tree) -> impl Iterator<Item = &File> {
    let api = tree.rust("crates/materia-engine/src/api");
    api.filter(|file| !file.path.contains("/tests"))
}

#[test]
fn the_api_takes_observers_and_no_closures() {
    const CLOSURES: [&str; 4] = ["Fn(", "FnMut(", "FnOnce(", " fn("];
    let tree = Tree::read();
    let mut offences = Vec::new();
    for file in api_files(&tree) {
        for function in file.text.split("pub fn ").skip(1) {
            let signature = function.split('{').next().unwrap_or_default();
            if CLOSURES.iter().any(|closure| signature.contains(closure)) {
                let name = signature.split('(').next().unwrap_or_default();
                offences.push(format!("{}: `{name}` takes a closure", file.path));
            }
        }
    }
    assert_none(&offences);
}

#[test]
fn the_api_is_small() {
    let tree = Tree::read();
    let lines: usize = api_files(&tree).map(|file| file.text.lines().count()).sum();
    assert!(lines > 1000, "the files of the API were not found");
    assert!(
        lines <= MAX_API_LINES,
        "the API has {lines} lines, {MAX_API_LINES} are allowed: logic belongs in the use cases"
    );
}

#[test]
fn only_owners_allow_banned_functions() {
    let tree = Tree::read();
    let owner = |path: &str| OWNERS.iter().find(|(owner, _)| path.starts_with(owner));
    let mut offences = bad_lines(tree.rust("crates/"), |file, line| {
        let lifted = line.contains("(clippy::disallowed") && file.path.contains("/src/");
        (lifted && owner(&file.path).is_none())
            .then(|| "lifts a ban without owning the effect".to_owned())
    });
    let product = |path: &str| path.contains("/src/") && !path.contains("/tests");
    for file in tree.rust("crates/").filter(|file| product(&file.path)) {
        let code = file.code();
        for effect in EFFECTS.iter().filter(|effect| code.contains(**effect)) {
            let owned = owner(&file.path)
                .is_some_and(|(_, owned)| owned.iter().any(|part| effect.contains(part)));
            if !owned {
                offences.push(format!(
                    "{}: `{effect}` belongs to another module",
                    file.path
                ));
            }
        }
    }
    assert_none(&offences);
}

#[test]
fn agent_names_are_only_in_the_agent_module() {
    const NAMES: [&str; 5] = ["claude", "codex", "gemini", "opencode", "aider"];
    let tree = Tree::read();
    let offences = bad_lines(tree.rust("crates/"), |file, line| {
        let free = file.path.starts_with("crates/materia-engine/src/agent")
            || !file.path.contains("/src/");
        let named = NAMES
            .iter()
            .find(|name| line.to_lowercase().contains(**name))?;
        (!free).then(|| format!("`{named}` belongs in engine/agent"))
    });
    assert_none(&offences);
}
