//! `detect-vcs`: markers, the real git, and machines without either program.

use serde_json::{Value, json};

use super::{git, utility};
use crate::house::House;

fn detected(house: &House, cwd: &str) -> Value {
    utility(house, "detect-vcs", &json!({"cwd": cwd}))
        .ok()
        .json()["state"]["vcs"]
        .take()
}

#[test]
fn a_git_repository_is_found_from_below() {
    let house = House::new();
    git(&house, "init repo");
    house.write("repo/a/b/file", "");
    for cwd in ["repo", "repo/a/b", "repo/a/../a", "repo/.git"] {
        let vcs = detected(&house, cwd);
        assert_eq!(
            (&vcs["kind"], &vcs["root"]),
            (&json!("git"), &json!("[HOUSE]/project/repo")),
            "{cwd}"
        );
        assert_eq!(vcs["available"]["git"], true);
    }
    let whole = utility(&house, "detect-vcs", &json!({"cwd": "repo"})).ok();
    let bare = utility(&house, "vcs.detect", &json!({"cwd": "repo"}))
        .ok()
        .json();
    assert_eq!(whole.json(), json!({"state": {"vcs": bare}}));
    assert_eq!(whole.stderr, "");
}

#[test]
fn a_worktree_and_a_repository_without_a_marker_are_found_by_real_git() {
    let house = House::new();
    git(&house, "init repo");
    let identity = "-c user.name=n -c user.email=e@x";
    git(
        &house,
        &format!("-C repo {identity} commit --allow-empty -m first"),
    );
    git(&house, "-C repo worktree add ../tree");
    assert_eq!(detected(&house, "tree")["root"], "[HOUSE]/project/tree");
    house.write("plain/file", "");
    let by_variable = house
        .materia(&["utility", "detect-vcs"])
        .stdin(json!({"cwd": "plain"}).to_string())
        .env("GIT_DIR", house.work().join("repo/.git"))
        .run()
        .ok()
        .json();
    assert_eq!(by_variable["state"]["vcs"]["kind"], "git");
    assert_eq!(by_variable["state"]["vcs"]["root"], "[HOUSE]/project/plain");
}

#[test]
fn a_directory_without_a_repository_has_none() {
    let house = House::new();
    let vcs = detected(&house, "");
    assert_eq!((&vcs["kind"], &vcs["root"]), (&json!("none"), &Value::Null));
    git(&house, "init --bare bare");
    assert_eq!(
        detected(&house, "bare")["kind"],
        "none",
        "a bare repository has no root to work in"
    );
}

#[test]
fn jj_comes_before_git_also_from_further_out() {
    let house = House::new();
    house.write(".jj/keep", "");
    git(&house, "init inner");
    let vcs = detected(&house, "inner");
    assert_eq!(
        (&vcs["kind"], &vcs["root"]),
        (&json!("jj"), &json!("[HOUSE]/project"))
    );
}

#[test]
fn without_programs_markers_still_count() {
    let house = House::new();
    git(&house, "init repo");
    let run = |cwd: &str| {
        let call = house
            .materia(&["utility", "detect-vcs"])
            .stdin(json!({"cwd": cwd}).to_string());
        call.env("PATH", house.work().join("nobin"))
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
        json!({"kind": "git", "root": "[HOUSE]/project/repo", "available": available})
    );
}

#[test]
fn a_program_that_hangs_or_talks_nonsense_is_not_believed() {
    let house = House::new();
    for script in [
        "echo relative/path",
        "exit 0",
        "echo /nope; exit 1",
        "sleep 600",
    ] {
        house.write("bin/git", format!("#!/bin/sh\n{script}\n"));
        house.shell("chmod +x bin/git").run().ok();
        let path = format!("{}/bin:/usr/bin:/bin", house.work().display());
        let call = house
            .materia(&["utility", "detect-vcs"])
            .stdin("{}")
            .env("PATH", path);
        assert_eq!(
            call.run().ok().json()["state"]["vcs"]["kind"],
            "none",
            "{script}"
        );
    }
}

#[test]
fn an_interrupt_stops_it_and_leaves_nothing_running() {
    let house = House::new();
    house.write("bin/git", "#!/bin/sh\necho up >up\nexec sleep 600\n");
    house.write("input", "{}");
    house.shell("chmod +x bin/git; mkfifo up").run().ok();
    let line = "PATH=$PWD/bin:$PATH; materia utility detect-vcs <input & read up <up; kill -TERM $!; wait $!";
    let outcome = house.shell(line).run();
    assert_eq!(outcome.code(), 130, "{}", outcome.transcript());
    assert!(
        outcome.stderr.contains("stopped while `git` ran"),
        "{}",
        outcome.transcript()
    );
    assert_eq!(outcome.stdout, "");
}
