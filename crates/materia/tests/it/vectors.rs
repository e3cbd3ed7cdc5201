//! Runs the conformance vectors in `tests/vectors` with their runners.

/// The vectors take seconds.
mod slow {
    use std::path::Path;
    use std::process::Command;

    #[test]
    fn templates() {
        run_vectors("run-templates", "templates.jsonl");
    }

    #[test]
    fn casts() {
        run_vectors("run-casts", "casts.jsonl");
    }

    /// Runs all vectors of a file.
    fn run_vectors(runner: &str, vectors: &str) {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors");
        let output = Command::new("python3")
            .arg(folder.join(runner))
            .arg(env!("CARGO_BIN_EXE_materia"))
            .arg(folder.join(vectors))
            .output()
            .expect("the vectors need python3; `./test` installs it");
        let stdout = String::from_utf8_lossy(&output.stdout);
        let last = stdout.lines().last().unwrap_or_default();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(
            last.ends_with(" passed, 0 failed") && !last.starts_with("0 "),
            "{stdout}{stderr}"
        );
        assert!(output.status.success(), "{stdout}{stderr}");
    }
}
