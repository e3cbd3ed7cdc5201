//! The Blackbelt utilities and `detect-vcs` with the real jj, which `./test` builds into its cache.

/// Every call of jj takes a tenth of a second or more.
mod needs_jj {
    use serde_json::{Value, json};

    use crate::test_env::{TestEnv, TestOutput};
    use crate::tools;
    use crate::utility::git;

    /// A test environment with the real jj in its `PATH`.
    struct JjRepo {
        env: TestEnv,
        path: String,
    }

    fn repo() -> JjRepo {
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", tools::jj().display());
        JjRepo {
            env: TestEnv::new(),
            path,
        }
    }

    impl JjRepo {
        fn run(&self, name: &str, input: &Value) -> TestOutput {
            self.env
                .materia(&["utility", name])
                .stdin(input.to_string())
                .env("PATH", &self.path)
                .run()
        }

        fn bootstrap(&self, input: &Value) -> Value {
            let outcome = self.run("blackbelt-bootstrap", input).ok();
            outcome.json()["state"]["blackbeltBootstrap"].take()
        }

        fn maintain(&self, title: &str, bookmark: &str) -> Value {
            let state = json!({"blackbeltBootstrap": {"bookmarkName": bookmark}});
            self.run(
                "blackbelt-maintain",
                &json!({"item": {"title": title}, "state": state}),
            )
            .ok()
            .json()
        }

        fn jj(&self, args: &str) -> String {
            let line = format!("jj --no-pager --color=never {args}");
            self.env
                .shell(&line)
                .env("PATH", &self.path)
                .run()
                .ok()
                .stdout
        }

        /// The description, the bookmarks and the emptiness of each commit, newest first.
        fn history(&self) -> Vec<String> {
            let template = r#"'description.first_line() ++ "|" ++ bookmarks.join(",") ++ "|" ++ empty ++ "\n"'"#;
            let log = self.jj(&format!("log --no-graph -r '::@ ~ root()' -T {template}"));
            log.lines().map(str::to_owned).collect()
        }
    }

    #[test]
    fn bootstrap_creates_a_repository_with_a_bookmark() {
        let repo = repo();
        repo.env.write("work.txt", "already here");
        let report = repo.bootstrap(&json!({"castId": "test"}));
        let name = report["bookmarkName"].as_str().unwrap().to_owned();
        let expected = json!({"ok": true, "root": "[ROOT]/project", "available": {"jj": true}, "initialized": true,
            "newWorkingCommit": true, "emptyHead": true, "bookmarkName": name});
        assert_eq!(report, expected);
        assert!(
            name.starts_with("blackbelt/") && name.ends_with("-9f86d08188"),
            "{name}"
        );
        assert_eq!(
            repo.history(),
            [format!("|{name}|true"), "||false".to_owned()]
        );
        assert!(
            !repo.env.work_dir().join(".git").exists(),
            "the repository must not be colocated"
        );
        let operations = || {
            repo.jj("op log --no-graph -T 'id ++ \"\\n\"'")
                .lines()
                .count()
        };
        let before = operations();
        let again = repo.bootstrap(&json!({"castId": "test"}));
        assert_has!(again, {"initialized": false, "newWorkingCommit": false});
        assert_eq!(
            operations(),
            before,
            "a second bootstrap must change nothing"
        );
    }

    #[test]
    fn each_item_becomes_a_commit_and_the_bookmark_moves() {
        let repo = repo();
        let report = repo.bootstrap(&json!({"params": {"bookmarkName": "My Feature.lock"}}));
        let name = report["bookmarkName"].as_str().unwrap();
        assert_eq!(name, "blackbelt/my-feature-lock");
        assert_eq!(report["newWorkingCommit"], false);
        for (file, title) in [("a", "feat: a"), ("b", "--help")] {
            repo.env.write(file, "x");
            let context = format!("Checkpoint: {title} [bookmark: {name}]");
            assert_eq!(
                repo.maintain(title, name),
                json!({"satisfied": true, "context": context})
            );
        }
        let expected = [
            "||true".to_owned(),
            format!("--help|{name}|false"),
            "feat: a||false".to_owned(),
        ];
        assert_eq!(repo.history(), expected);
        let idle = repo.maintain("feat: nothing", name);
        assert!(
            idle["satisfied"] == true
                && idle["context"]
                    .as_str()
                    .unwrap()
                    .contains("Nothing has changed")
        );
        assert_eq!(
            repo.history(),
            expected,
            "an empty checkpoint must not be created"
        );
        let again = repo.bootstrap(&json!({"params": {"bookmarkName": "My Feature.lock"}}));
        assert_eq!(again["newWorkingCommit"], false);
        assert_eq!(
            repo.history()[0],
            format!("|{name}|true"),
            "the bookmark must be at the working commit"
        );
    }

    #[test]
    fn in_a_git_repository_the_git_history_is_kept() {
        let repo = repo();
        git(&repo.env, "init");
        git(
            &repo.env,
            "-c user.name=n -c user.email=e@x commit --allow-empty -m first",
        );
        repo.env.write("work.txt", "x");
        let outcome = repo
            .run("blackbelt-bootstrap", &json!({"castId": "test"}))
            .ok();
        assert!(
            outcome.stderr.contains("beside an existing .git"),
            "{}",
            outcome.stderr
        );
        let report = &outcome.json()["state"]["blackbeltBootstrap"];
        assert_has!(report, {"initialized": true, "newWorkingCommit": true});
        assert!(repo.env.work_dir().join(".jj").exists());
        assert_eq!(repo.history().last().unwrap(), "first|main|true");
        let name = report["bookmarkName"].as_str().unwrap();
        repo.env.write("more.txt", "x");
        assert_eq!(repo.maintain("feat: more", name)["satisfied"], true);
        let branches = repo
            .env
            .shell("git branch --list 'blackbelt/*'")
            .run()
            .ok()
            .stdout;
        assert!(branches.contains(name), "git sees the bookmark: {branches}");
    }

    #[test]
    fn errors_of_the_real_jj_are_reported() {
        let repo = repo();
        let no_repository = repo.maintain("feat: x", "blackbelt/q");
        let context =
            "This is no jj repository: run Blackbelt-Bootstrap first. [bookmark: blackbelt/q]";
        assert_eq!(
            no_repository,
            json!({"satisfied": false, "context": context})
        );
        repo.bootstrap(&json!({"params": {"bookmarkName": "q"}}));
        repo.jj("new 'root()'");
        let outcome = repo.run(
            "blackbelt-bootstrap",
            &json!({"params": {"bookmarkName": "q"}}),
        );
        assert_eq!(outcome.code(), 1, "{}", outcome.transcript());
        let error = outcome.json()["state"]["blackbeltBootstrap"]["error"]
            .as_str()
            .unwrap()
            .to_owned();
        assert!(
            error.contains("jj bookmark set blackbelt/q") && error.contains("Refusing to move"),
            "{error}"
        );
        repo.env.write("file", "x");
        let refused = repo.maintain("feat: x", "blackbelt/q");
        let context = refused["context"].as_str().unwrap();
        assert!(
            refused["satisfied"] == false && context.contains("Refusing to move"),
            "{context}"
        );
        assert!(context.ends_with("[bookmark: blackbelt/q]"), "{context}");
    }

    #[test]
    fn every_sanitized_bookmark_name_is_accepted_by_jj() {
        let repo = repo();
        let requested = [
            "a..b@{c",
            "///",
            "x~y^z:?*[\\q",
            "@",
            "ünï|\"code\"",
            "-a-/.b./c.lock/d",
            "all()",
        ];
        let name = |requested_name: &str| {
            let report = repo.bootstrap(&json!({"params": {"bookmarkName": requested_name}}));
            report["bookmarkName"].as_str().unwrap().to_owned()
        };
        let names: Vec<String> = requested.into_iter().map(name).collect();
        let listed = repo.jj("bookmark list -T 'name ++ \"\\n\"'");
        for name in &names {
            let quoted = format!("\"{}\"", name.replace('"', "\\\""));
            assert!(
                listed.lines().any(|line| line == name || line == quoted),
                "{name}: {listed}"
            );
        }
        repo.env.write("file", "x");
        assert_eq!(
            repo.maintain("feat: x", &names[0])["satisfied"],
            true,
            "the bookmark must move"
        );
    }

    #[test]
    fn detect_vcs_finds_a_jj_repository_from_a_subdirectory() {
        let repo = repo();
        repo.bootstrap(&json!({}));
        repo.env.write("a/b/file", "");
        for cwd in ["", "a/b"] {
            let vcs =
                repo.run("detect-vcs", &json!({"cwd": cwd})).ok().json()["state"]["vcs"].take();
            let expected = json!({"kind": "jj", "root": "[ROOT]/project", "available": {"jj": true, "git": true}});
            assert_eq!(vcs, expected, "{cwd}");
        }
    }
}
