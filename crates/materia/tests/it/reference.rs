//! Reference pages that are written from the code: a page that differs fails, and says how to write it anew.

use std::fmt::Write as _;
use std::path::Path;

use materia::failure::TABLE;

#[test]
fn exit_codes() {
    let mut page = String::from(
        "# Exit codes\n\nEvery failure has one kind; the kind decides what each surface shows. `0` is success.\n\n\
         | exit | HTTP | JSON-RPC | meaning |\n|---|---|---|---|\n",
    );
    for (_, outside) in TABLE {
        let _ = writeln!(
            page,
            "| {} | {} | {} | {} |",
            outside.exit, outside.http, outside.json_rpc, outside.meaning
        );
    }
    check("exit-codes.md", &page);
}

/// Compares a page with what the code says; `MATERIA_WRITE_REFERENCE=1` writes it.
fn check(name: &str, expected: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference").join(name);
    if std::env::var_os("MATERIA_WRITE_REFERENCE").is_some() {
        std::fs::write(&path, expected).unwrap();
    }
    let actual = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(
        actual, expected,
        "docs/reference/{name} is stale; run the tests with MATERIA_WRITE_REFERENCE=1"
    );
}
