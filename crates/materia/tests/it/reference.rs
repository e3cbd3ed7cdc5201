//! Reference pages that are generated from the code. If a page differs, its test fails and says how
//! to write it again.

mod commands;
mod events;
mod limits;
mod surfaces;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use materia_engine::api::ERROR_TABLE;

use crate::test_env::TestEnv;

#[test]
fn exit_codes() {
    let mut page = String::from(
        "# Exit codes\n\nEvery failure has one kind, which determines its code in each interface. `0` is success.\n\n\
         | exit | HTTP | JSON-RPC | meaning |\n|---|---|---|---|\n",
    );
    for (_, outside) in ERROR_TABLE {
        let _ = writeln!(
            page,
            "| {} | {} | {} | {} |",
            outside.exit, outside.http, outside.json_rpc, outside.meaning
        );
    }
    check("exit-codes.md", &page);
}

#[test]
fn schemas() {
    let env = TestEnv::new();
    for kind in ["loadout", "recipe", "message", "events"] {
        let schema = env.materia(&["schema", kind]).run().ok().json();
        check(&format!("schema/{kind}.json"), &format!("{schema:#}\n"));
    }
}

#[test]
fn every_page_is_generated_or_listed_as_manual() {
    let manual = ["README.md", "template.md"];
    let generated = [
        "cli.md",
        "events.md",
        "exit-codes.md",
        "http.md",
        "limits.md",
        "mcp.md",
    ];
    for entry in std::fs::read_dir(folder()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let known = manual.contains(&name.as_str())
            || generated.contains(&name.as_str())
            || name == "schema";
        assert!(
            known,
            "docs/reference/{name}: no test generates it and it is not on the list of manual pages"
        );
    }
    let index = std::fs::read_to_string(folder().join("README.md")).unwrap();
    let missing: Vec<&&str> = generated
        .iter()
        .filter(|name| !index.contains(&format!("({name})")))
        .collect();
    assert!(
        missing.is_empty(),
        "docs/reference/README.md does not list {missing:?}"
    );
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference")
}

/// Compares a page with its file, or writes the file with `MATERIA_WRITE_REFERENCE=1`.
fn check(name: &str, expected: &str) {
    let path = folder().join(name);
    if std::env::var_os("MATERIA_WRITE_REFERENCE").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, expected).unwrap();
    }
    let actual = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(
        actual, expected,
        "docs/reference/{name} is stale; run the tests with MATERIA_WRITE_REFERENCE=1"
    );
}
