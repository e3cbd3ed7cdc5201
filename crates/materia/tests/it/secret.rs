//! Secrets are passed between steps, but no file of a cast contains them (S3).

use std::path::Path;

use serde_json::json;

use crate::test_env::TestEnv;

const VALUE: &str = "canary-7f3a\"9d\n21";

/// The names and contents of all files below a directory.
fn all_contents(dir: &Path) -> String {
    let mut all = String::new();
    for entry in std::fs::read_dir(dir).unwrap().flatten() {
        match entry.path() {
            path if path.is_dir() => all.push_str(&all_contents(&path)),
            path => all.push_str(&format!(
                "{}\n{}\n",
                path.display(),
                String::from_utf8_lossy(&std::fs::read(&path).unwrap())
            )),
        }
    }
    all
}

#[test]
fn s3_secrets_are_passed_between_steps_but_not_saved() {
    let env = TestEnv::new();
    let key = format!("{}{}", "ghp_", "a1B2c3D4e5F6g7H8i9J0a1B2c3D4e5F6g7H8");
    let print_script = "import json,os;print(json.dumps({'key':os.environ['KEY_PARTS'].replace('+',''),'mine':os.environ['MINE']}))";
    let check_script = "import json,os,sys;s=json.load(sys.stdin)['state'];ok=s['key']==os.environ['KEY_PARTS'].replace('+','') and s['mine']==os.environ['MINE'];\
        sys.stderr.write(s['key']+' '+s['mine']+'\\n');print(json.dumps({'same':ok}))";
    let config = json!({"activeLoadout": "T",
        "loadouts": {"T": {"entry": "a", "sockets": {
            "a": {"materia": "Say", "edges": [{"to": "b"}]}, "b": {"materia": "Check", "edges": [{"to": "c"}]}, "c": {"materia": "Fail"}}}},
        "materia": {
            "Say": {"type": "utility", "parse": "json", "command": ["python3", "-c", print_script], "secret": ["MINE"],
                "assign": {"key": "$.key", "mine": "$.mine"}},
            "Check": {"type": "utility", "parse": "json", "command": ["python3", "-c", check_script], "assign": {"same": "$.same"}},
            "Fail": {"type": "utility", "command": ["sh", "-c", "cat >&2; test -e go"]}}});
    env.write("flow.json", config.to_string());
    let request = format!("use {key}");
    let parts = format!("{}+{}", &key[..6], &key[6..]);
    let run_materia = |args: &[&str]| {
        env.materia(args)
            .env("KEY_PARTS", &parts)
            .env("MINE", VALUE)
            .run()
    };
    let failed = run_materia(&["cast", "--config", "flow.json", &request, "--json"]);
    assert_eq!(
        failed.json()["state"]["same"],
        true,
        "{}",
        failed.transcript()
    );
    assert_eq!(
        failed.json()["state"]["key"],
        key.as_str(),
        "the report must have the real value"
    );
    let dir = env.work_dir().join(".pi/pi-materia");
    let contents = all_contents(&dir);
    for secret in [key.as_str(), VALUE, "canary-7f3a"] {
        assert!(
            !contents.contains(secret),
            "{}",
            contents
                .lines()
                .find(|line| line.contains(secret))
                .unwrap_or_default()
        );
    }
    assert!(contents.matches("[redacted]").count() > 8, "{contents}");
    assert!(
        !contents.contains("KEY_PARTS=") && !contents.contains("LC_ALL"),
        "the environment must not be saved"
    );
    env.write("go", "");
    let resumed = run_materia(&["recast", "--json"]).ok();
    assert_eq!(
        resumed.json()["state"]["mine"],
        "[redacted]",
        "a recast has only the redacted value"
    );
    assert!(!all_contents(&dir).contains("canary-7f3a"));
}

#[test]
fn s3_a_secret_over_several_lines_of_an_agent_is_redacted() {
    let env = TestEnv::new();
    let (begin, end) = (
        format!("-----{} PRIVATE KEY-----", "BEGIN"),
        format!("-----{} PRIVATE KEY-----", "END"),
    );
    let body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC";
    env.write("pem.sh", format!("cat >/dev/null\nfor line in 'so:' '{begin}' {body} '{end}' 'that is it'; do echo \"$line\"; sleep 0.05; done\n"));
    let config = json!({"activeLoadout": "T", "agent": "slow", "agents": {"slow": {"command": ["sh", "pem.sh"]}},
        "loadouts": {"T": {"entry": "a", "sockets": {"a": {"materia": "Say"}}}},
        "materia": {"Say": {"type": "agent", "prompt": "Say it", "tools": "none"}}});
    env.write("flow.json", config.to_string());
    env.materia(&["cast", "--config", "flow.json", "go", "--json"])
        .run()
        .ok();
    let contents = all_contents(&env.work_dir().join(".pi/pi-materia"));
    assert!(!contents.contains(body), "{contents}");
    let (_, activity) = contents.split_once("activity.jsonl\n").unwrap();
    assert!(
        activity.contains("[redacted]") && activity.contains("that is it"),
        "{activity}"
    );
}
