//! The conformance vectors of `tests/vectors`, played by their own runners.

/// They take seconds.
mod slow {
    use std::path::Path;
    use std::process::Command;

    #[test]
    fn templates() {
        passes("run-templates", "templates.jsonl");
    }

    #[test]
    fn casts() {
        passes("run-casts", "casts.jsonl");
    }

    /// Plays all vectors of a file.
    fn passes(runner: &str, vectors: &str) {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors");
        let output = Command::new("python3")
            .arg(folder.join(runner))
            .arg(env!("CARGO_BIN_EXE_materia"))
            .arg(folder.join(vectors))
            .output()
            .expect("the vectors need python3; `./test` installs it");
        let said = String::from_utf8_lossy(&output.stdout);
        let last = said.lines().last().unwrap_or_default();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(
            last.ends_with(" passed, 0 failed") && !last.starts_with("0 "),
            "{said}{errors}"
        );
        assert!(output.status.success(), "{said}{errors}");
    }
}
