//! The conformance vectors that stand beside the checkout, where they do.

/// They take seconds.
mod slow {
    use std::path::Path;
    use std::process::Command;

    #[test]
    fn templates() {
        passes("run-templates", "templates.jsonl", &[]);
    }

    /// All but the launchers in the profile.
    #[test]
    fn casts() {
        let listed = "hello ignore-script script-path edge-order no-match text-guard repair json-extraction handoff assign state-patch rework \
            loops limits foreach generators utility-failure budget multi-turn provider abort recast prompt \
            config-layers trust broken-loadout validation loop-compile shipped-utility shipped-loadouts";
        let only: Vec<&str> = listed.split_whitespace().collect();
        passes("run-casts", "casts.jsonl", &only);
    }

    /// Plays the vectors of these topics and ids, or all.
    #[expect(clippy::print_stdout, reason = "a test that is skipped says why")]
    fn passes(runner: &str, vectors: &str, only: &[&str]) {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/vectors");
        let (runner, vectors) = (folder.join(runner), folder.join(vectors));
        if !runner.exists() || !vectors.exists() {
            let missing = format!("there are no vectors at {}", vectors.display());
            assert!(std::env::var_os("CI").is_none_or(|ci| ci != "true"), "{missing}");
            println!("skipped: {missing}");
            return;
        }
        let mut command = Command::new(runner);
        command.arg(env!("CARGO_BIN_EXE_materia")).arg(vectors);
        only.iter().for_each(|only| _ = command.args(["--only", *only]));
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        let last = said.lines().last().unwrap_or_default();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(last.ends_with(" passed, 0 failed") && !last.starts_with("0 "), "{said}{errors}");
        assert!(output.status.success(), "{said}{errors}");
    }
}
