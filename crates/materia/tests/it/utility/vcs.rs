//! `detect-vcs`: markers, the real git, and machines without git and jj.

use serde_json::{Value, json};

use super::{git, utility};
use crate::test_env::TestEnv;

fn detect_vcs(env: &TestEnv, cwd: &str) -> Value {
    utility(env, "detect-vcs", &json!({"cwd": cwd})).ok().json()["state"]["vcs"].take()
}

#[test]
fn a_git_repository_is_found_from_a_subdirectory() {
    let env = TestEnv::new();
    git(&env, "init repo");
    env.write("repo/a/b/file", "");
    for cwd in ["repo", "repo/a/b", "repo/a/../a", "repo/.git"] {
        let vcs = detect_vcs(&env, cwd);
        assert_has!(vcs, {"kind": "git", "root": "[ROOT]/project/repo"}, "{cwd}");
        assert_eq!(vcs["available"]["git"], true);
    }
    let nested = utility(&env, "detect-vcs", &json!({"cwd": "repo"})).ok();
    let plain = utility(&env, "vcs.detect", &json!({"cwd": "repo"}))
        .ok()
        .json();
    assert_eq!(nested.json(), json!({"state": {"vcs": plain}}));
    assert_eq!(nested.stderr, "");
}

#[test]
fn a_worktree_and_git_dir_are_found_by_the_real_git() {
    let env = TestEnv::new();
    git(&env, "init repo");
    let identity = "-c user.name=n -c user.email=e@x";
    git(
        &env,
        &format!("-C repo {identity} commit --allow-empty -m first"),
    );
    git(&env, "-C repo worktree add ../tree");
    assert_eq!(detect_vcs(&env, "tree")["root"], "[ROOT]/project/tree");
    env.write("plain/file", "");
    let by_variable = env
        .materia(&["utility", "detect-vcs"])
        .stdin(json!({"cwd": "plain"}).to_string())
        .env("GIT_DIR", env.work_dir().join("repo/.git"))
        .run()
        .ok()
        .json();
    assert_eq!(by_variable["state"]["vcs"]["kind"], "git");
    assert_eq!(by_variable["state"]["vcs"]["root"], "[ROOT]/project/plain");
}

#[test]
fn a_directory_without_a_repository_has_none() {
    let env = TestEnv::new();
    let vcs = detect_vcs(&env, "");
    assert_has!(vcs, {"kind": "none", "root": null});
    git(&env, "init --bare bare");
    assert_eq!(
        detect_vcs(&env, "bare")["kind"],
        "none",
        "a bare repository has no working directory"
    );
}

#[test]
fn jj_takes_precedence_over_git_even_in_a_parent_directory() {
    let env = TestEnv::new();
    env.write(".jj/keep", "");
    git(&env, "init inner");
    let vcs = detect_vcs(&env, "inner");
    assert_has!(vcs, {"kind": "jj", "root": "[ROOT]/project"});
}

#[test]
fn without_git_and_jj_markers_are_enough() {
    let env = TestEnv::new();
    git(&env, "init repo");
    let run = |cwd: &str| {
        let command = env
            .materia(&["utility", "detect-vcs"])
            .stdin(json!({"cwd": cwd}).to_string());
        command
            .env("PATH", env.work_dir().join("nobin"))
            .run()
            .ok()
            .json()["state"]["vcs"]
            .take()
    };
    let available = json!({"jj": false, "git": false});
    assert_eq!(
        run(""),
        json!({"kind": "none", "root": null, "available": available})
    );
    assert_eq!(
        run("repo"),
        json!({"kind": "git", "root": "[ROOT]/project/repo", "available": available})
    );
}

#[test]
fn a_program_that_hangs_or_prints_nonsense_is_ignored() {
    let env = TestEnv::new();
    for script in [
        "echo relative/path",
        "exit 0",
        "echo /nope; exit 1",
        "sleep 600",
    ] {
        env.write("bin/git", format!("#!/bin/sh\n{script}\n"));
        env.shell("chmod +x bin/git").run().ok();
        let path = format!("{}/bin:/usr/bin:/bin", env.work_dir().display());
        let command = env
            .materia(&["utility", "detect-vcs"])
            .stdin("{}")
            .env("PATH", path);
        assert_eq!(
            command.run().ok().json()["state"]["vcs"]["kind"],
            "none",
            "{script}"
        );
    }
}

#[test]
fn an_interrupt_leaves_no_process() {
    let env = TestEnv::new();
    env.write("bin/git", "#!/bin/sh\necho up >up\nexec sleep 600\n");
    env.write("input", "{}");
    env.shell("chmod +x bin/git; mkfifo up").run().ok();
    let line = "PATH=$PWD/bin:$PATH; materia utility detect-vcs <input & read up <up; kill -TERM $!; wait $!";
    let outcome = env.shell(line).run();
    assert_eq!(outcome.code(), 130, "{}", outcome.transcript());
    assert!(
        outcome.stderr.contains("stopped while `git` ran"),
        "{}",
        outcome.transcript()
    );
    assert_eq!(outcome.stdout, "");
}
