//! The command line itself: help, version, wrong arguments, colours, directories.

use insta::assert_snapshot;

use crate::test_env::TestEnv;

#[test]
fn version_is_one_line_on_stdout() {
    let env = TestEnv::new();
    let outcome = env.materia(&["--version"]).run().ok();
    assert_eq!(
        outcome.stdout,
        concat!("materia ", env!("CARGO_PKG_VERSION"), "\n")
    );
    assert_eq!(outcome.stderr, "");
}

#[test]
fn help_fits_one_screen() {
    let env = TestEnv::new();
    let outcome = env.materia(&["-h"]).run().ok();
    assert!(
        outcome.stdout.lines().count() <= 64
            && outcome.stdout.lines().all(|line| line.len() <= 100)
    );
    assert_snapshot!(outcome.transcript());
}

#[test]
fn wrong_arguments_are_reported_with_a_suggestion() {
    let env = TestEnv::new();
    let transcripts = [
        env.materia(&["doctr"]).run(),
        env.materia(&["doctor", "--jsn"]).run(),
        env.materia(&["doctor", "--color", "sometimes"]).run(),
        env.materia(&["-C", "nowhere", "doctor"]).run(),
        env.materia(&["nonsense", "--json"]).run(),
    ]
    .map(|outcome| outcome.transcript());
    assert_snapshot!(transcripts.join("\n"));
}

#[test]
fn without_arguments_it_prints_help_and_exits_with_2() {
    let env = TestEnv::new();
    let outcome = env.materia(&[]).run();
    assert_eq!(outcome.code(), 2);
    assert!(outcome.stdout.contains("doctor"));
}

#[test]
fn colour_follows_the_flag_and_the_environment() {
    let env = TestEnv::new();
    let coloured = |outcome: &crate::test_env::TestOutput| outcome.stderr.contains('\u{1b}');
    let wrong = ["-C", "nowhere", "doctor"];
    assert!(!coloured(&env.materia(&wrong).run()));
    assert!(coloured(
        &env.materia(&wrong).env("CLICOLOR_FORCE", "1").run()
    ));
    assert!(coloured(
        &env.materia(&["--color", "always", "-C", "nowhere", "doctor"])
            .run()
    ));
    let never = env
        .materia(&["--color=never", "-C", "nowhere", "doctor"])
        .env("CLICOLOR_FORCE", "1")
        .run();
    assert!(!coloured(&never));
}

#[test]
fn a_failed_write_to_stdout_is_an_error() {
    let env = TestEnv::new();
    for args in [
        "--help",
        "split 'a b'",
        "split a --json",
        "run --template 'echo hi'",
        "doctor",
    ] {
        let outcome = env.shell(&format!("materia {args} >/dev/full")).run();
        assert_eq!(outcome.code(), 1, "{}", outcome.transcript());
        assert!(
            outcome
                .stderr
                .contains("error: cannot write to stdout: No space left"),
            "{}",
            outcome.stderr
        );
    }
    let outcome = env.shell("materia split >/dev/full").run();
    assert_eq!(outcome.code(), 2, "the usage error must win");
    let outcome = env
        .shell("{ materia run --template 'seq 100000'; echo $? >&2; } | head -1")
        .run();
    assert_eq!(outcome.stderr.trim(), "0", "a closed pipe is not an error");
}

#[test]
fn a_closed_pipe_or_a_missing_home_does_not_crash() {
    let env = TestEnv::new();
    env.shell("materia --help | true; materia --help >&-").run();
    let outcome = env.materia(&["doctor", "--json"]).without_env("HOME").run();
    assert_eq!(outcome.code(), 2);
    assert_eq!(outcome.json()["error"]["code"], "no_home");
}
