//! Examples that are casts: each one runs its rehearsal, and the test checks the git history.

use serde_json::json;

use super::{ExampleRepo, complete, file};

#[test]
fn fix_tests_repeats_until_the_tests_pass_and_commits_once() {
    let repo = ExampleRepo::new(&[
        ("total.py", "def total(prices):\n    return 0\n"),
        (
            "test_total.py",
            "import unittest\nfrom total import total\n\n\nclass Total(unittest.TestCase):\n    def test_adds(self):\n        \
             self.assertEqual(total([1, 2]), 3)\n",
        ),
    ]);
    let cast = complete(&repo.cast("fix-tests", "the total is wrong"));
    assert_eq!(cast["visits"], json!({"test": 3, "fix": 2, "commit": 1}));
    assert_eq!(repo.log(), ["fix: make the tests pass", "chore: begin"]);
    assert_eq!(repo.sh("git show --format= --name-only"), "total.py\n");
    repo.sh("python3 -m unittest -q");
    // The tests pass from the start: no agent is asked and nothing is committed.
    let again = complete(&repo.cast("fix-tests", "again"));
    assert_eq!(again["visits"], json!({"test": 1, "commit": 1}));
    assert_eq!(repo.log().len(), 2);
}

#[test]
fn migrate_commits_each_file_after_verification() {
    let repo = ExampleRepo::new(&[
        ("a.py", "import os\nprint(os.popen('date').read())\n"),
        (
            "b.py",
            "import os\n\n\ndef who():\n    return os.popen('id -un').read()\n",
        ),
        ("c.py", "print('nothing to do')\n"),
    ]);
    let cast = complete(&repo.cast("migrate", "replace os.popen by subprocess.run"));
    assert_eq!(
        cast["visits"],
        json!({"list": 1, "migrate": 3, "verify": 3, "commit": 2})
    );
    assert_eq!(
        repo.log(),
        [
            "refactor: migrate b.py",
            "refactor: migrate a.py",
            "chore: begin"
        ]
    );
    assert_eq!(repo.sh("git grep -l os.popen || true"), "");
    assert_eq!(repo.sh("git status --short"), "");
}

#[test]
fn update_deps_keeps_updates_that_pass_and_reverts_the_rest() {
    let repo = ExampleRepo::new(&[
        (
            "package.json",
            "{\"left\": \"1\", \"right\": \"1\", \"up\": \"1\"}\n",
        ),
        ("app.json", "{\"uses\": [\"left@1\"]}\n"),
    ]);
    // A fake npm: `left@2` breaks the app until it is adapted, `up@2` breaks it permanently.
    let npm = "#!/usr/bin/env python3\nimport json, sys\nmanifest = json.load(open('package.json'))\n\
        if sys.argv[1] == 'outdated':\n    \
            print(json.dumps({name: {'current': '1', 'latest': '2'} for name in manifest}))\n    sys.exit(1)\n\
        elif sys.argv[1] == 'install':\n    name, version = sys.argv[-1].split('@')\n    manifest[name] = version\n    \
            open('package.json', 'w').write(json.dumps(manifest) + '\\n')\n\
        else:\n    uses = json.load(open('app.json'))['uses']\n    \
            sys.exit(0 if uses == ['left@' + manifest['left']] and manifest['up'] == '1' else 'the app does not start')\n";
    std::fs::create_dir(repo.env.home().join("bin")).unwrap();
    let program = repo.env.home().join("bin/npm");
    std::fs::write(&program, npm).unwrap();
    std::fs::set_permissions(
        &program,
        std::os::unix::fs::PermissionsExt::from_mode(0o755),
    )
    .unwrap();
    let path = format!(
        "{}:/usr/local/bin:/usr/bin:/bin",
        program.parent().unwrap().display()
    );
    let outcome = repo
        .cast_command("update-deps", "update")
        .env("PATH", path)
        .run();
    let cast = complete(&outcome);
    let report = cast["state"]["report"].as_str().unwrap();
    assert_eq!(report.lines().count(), 3, "{report}");
    assert!(
        report.contains("kept left 1 -> 2") && report.contains("kept right 1 -> 2"),
        "{report}"
    );
    assert!(
        report.contains("took back up 1 -> 2: it needs a newer runtime"),
        "{report}"
    );
    assert_eq!(
        repo.log()[..2],
        ["build(deps): right 1 -> 2", "build(deps): left 1 -> 2"]
    );
    assert_eq!(
        repo.env.read("package.json"),
        "{\"left\": \"2\", \"right\": \"2\", \"up\": \"1\"}\n"
    );
    assert_eq!(repo.sh("git status --short"), "");
}

#[test]
fn release_writes_the_changelog_and_the_tag() {
    let repo = ExampleRepo::new(&[(
        "CHANGELOG.md",
        "# Changelog\n\n## [0.9.0] - 2025-01-01\n\n- Older.\n",
    )]);
    repo.sh("git tag v1.2.3 && git commit -q --allow-empty -m 'feat: reports as JSON' && \
        git commit -q --allow-empty -m 'feat(cli)!: rename --out to --output' && git commit -q --allow-empty -m 'wip'");
    let cast = complete(&repo.cast("release", "cut a release"));
    assert_eq!(
        cast["visits"],
        json!({"commits": 1, "notes": 2, "check": 2, "tag": 1})
    );
    assert_eq!(repo.sh("git describe"), "v2.0.0\n");
    assert_eq!(repo.log()[0], "chore(release): v2.0.0");
    let log = repo.env.read("CHANGELOG.md");
    assert!(log.starts_with("# Changelog\n\n## [2.0.0] - "), "{log}");
    assert!(
        log.contains("`--out` is called `--output`") && log.ends_with("- Older.\n"),
        "{log}"
    );
    assert_eq!(repo.env.read("VERSION"), "2.0.0\n");
    // No new commits: there is nothing to release, and no agent is asked.
    let again = complete(&repo.cast("release", "again"));
    assert_eq!(again["visits"], json!({"commits": 1}));
    assert_eq!(repo.sh("git tag | wc -l").trim(), "2");
}

#[test]
fn check_links_fixes_pages_until_every_link_is_valid() {
    let repo = ExampleRepo::new(&[
        ("README.md", "# Tool\n\nSee [setup](docs/guide.md).\n"),
        (
            "docs/setup.md",
            "# Setup\n\n## First steps\n\nBack to [the tool](../README.md#tool). `[x](not-a-link)`\n",
        ),
    ]);
    let cast = complete(&repo.cast("check-links", "mend the links"));
    assert_eq!(
        cast["visits"],
        json!({"find": 1, "mend": 2, "verify": 2, "commit": 1})
    );
    assert_eq!(repo.log()[0], "docs: mend links");
    assert!(
        repo.env
            .read("README.md")
            .contains("docs/setup.md#first-steps")
    );
    let again = complete(&repo.cast("check-links", "again"));
    assert_eq!(
        again["visits"],
        json!({"find": 1}),
        "no agent is asked if all links are valid"
    );
}

#[test]
fn triage_labels_each_issue_once_with_known_labels() {
    let issues = "{\"number\": 7, \"title\": \"Data lost\", \"body\": \"after a crash\"}\n{\"number\": 9, \"title\": \"Dark mode\"}\n";
    let repo = ExampleRepo::new(&[("issues.jsonl", issues)]);
    let cast = complete(&repo.cast("triage", "label what is new"));
    assert_eq!(cast["visits"], json!({"read": 1, "label": 3, "write": 3}));
    let labels = repo.env.read("labels.jsonl");
    let lines: Vec<serde_json::Value> = labels
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_has!(lines[0], {"number": 7, "labels": ["bug"]});
    assert_has!(lines[1], {"number": 9, "labels": ["feature"]});
    assert_eq!(lines.len(), 2);
    assert_eq!(
        complete(&repo.cast("triage", "again"))["visits"],
        json!({"read": 1})
    );
}

#[test]
fn decide_writes_a_numbered_record_after_the_conversation() {
    let repo = ExampleRepo::new(&[("docs/decisions/0001-use-git.md", "# 1. Use git\n")]);
    let first = repo.cast("decide", "where to keep the data").json();
    assert_eq!(first["status"], "paused", "{first}");
    let script = file("decide", "rehearsal.json");
    let continue_cast = |args: &[&str]| {
        repo.env
            .materia(&[&["continue", "--agent-script", &script, "--json"], args].concat())
            .run()
            .json()
    };
    let id = first["castId"].as_str().unwrap();
    assert_eq!(
        continue_cast(&[id, "what about backups"])["status"],
        "paused"
    );
    let done = continue_cast(&[]);
    assert_eq!(done["status"], "complete", "{done}");
    let record = repo
        .env
        .read("docs/decisions/0002-keep-the-data-in-sqlite.md");
    assert!(
        record.starts_with("# 2. Keep the data in SQLite\n\n## Situation\n\nOne process"),
        "{record}"
    );
    assert_eq!(repo.log()[0], "docs: decide keep the data in sqlite");
}
