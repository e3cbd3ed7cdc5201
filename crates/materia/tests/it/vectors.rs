//! The conformance vectors that stand beside the checkout, where they do.

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
    #[expect(clippy::print_stdout, reason = "a test that is skipped says why")]
    fn passes(runner: &str, vectors: &str) {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/vectors");
        let (runner, vectors) = (folder.join(runner), folder.join(vectors));
        if !runner.exists() || !vectors.exists() {
            let missing = format!("there are no vectors at {}", vectors.display());
            assert!(
                std::env::var_os("CI").is_none_or(|ci| ci != "true"),
                "{missing}"
            );
            println!("skipped: {missing}");
            return;
        }
        let mut command = Command::new(runner);
        command.arg(env!("CARGO_BIN_EXE_materia")).arg(vectors);
        let output = command.output().unwrap();
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
