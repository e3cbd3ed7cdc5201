//! `materia export`: loadouts for other programs, and a cast as one HTML page without secrets and
//! scripts.

use serde_json::json;

use crate::test_env::TestEnv;

#[test]
fn a_loadout_is_exported_in_every_format() {
    let env = TestEnv::new();
    let export = |format: &str| {
        env.materia(&["export", "Full-Auto", "--format", format])
            .run()
            .ok()
            .stdout
    };
    assert!(
        export("mermaid").starts_with("flowchart"),
        "{}",
        export("mermaid")
    );
    assert!(export("dot").starts_with("digraph"));
    let document: serde_json::Value = serde_json::from_str(&export("json")).unwrap();
    assert_eq!(document["loadout"], "Full-Auto");
    let svg = export("svg");
    assert!(
        svg.starts_with("<svg xmlns=") && svg.trim_end().ends_with("</svg>"),
        "{svg}"
    );
    for part in [
        "Auto-Eval",
        "loop work",
        "not_satisfied, at most 3×",
        "prefers-color-scheme:dark",
        "▶ Ignore-Artifacts",
    ] {
        assert!(svg.contains(part), "{part}: {svg}");
    }
    assert_eq!(svg.matches("<g>").count(), 8);
    assert_eq!(
        env.materia(&["grid", "Full-Auto", "--format", "svg"])
            .run()
            .ok()
            .stdout,
        svg
    );
    assert_eq!(env.materia(&["export", "Nowhere"]).run().code(), 3);
}

#[test]
fn an_svg_uses_the_layout_and_escapes_names() {
    let env = TestEnv::new();
    let config = json!({"activeLoadout": "<b>&", "loadouts": {"<b>&": {"entry": "a",
        "layout": {"sockets": {"a": {"x": 500, "y": 40}, "b": {"x": 0, "y": 300}}},
        "sockets": {"a": {"materia": "M", "edges": [{"to": "b"}]}, "b": {"materia": "M"}}}},
        "materia": {"M": {"label": "\"<script>alert(1)</script>", "command": ["true"]}}});
    env.write("flow.json", config.to_string());
    let svg = env
        .materia(&["export", "--config", "flow.json", "--format", "svg"])
        .run()
        .ok()
        .stdout;
    assert!(
        svg.contains(r#"x="500.0" y="40.0""#) && svg.contains(r#"x="0.0" y="300.0""#),
        "{svg}"
    );
    assert!(
        !svg.contains("<script") && !svg.contains("<b>") && svg.contains("&lt;b&gt;&amp;"),
        "{svg}"
    );
}

#[test]
fn a_cast_is_exported_without_scripts_network_or_secrets() {
    let env = TestEnv::new();
    // Built at run time, so that no secret scanner takes it for a real key.
    let key = format!("sk-{}", "a1B2c3D4".repeat(5));
    let key = key.as_str();
    let config = json!({"activeLoadout": "T", "loadouts": {"T": {"entry": "build", "sockets": {
            "build": {"materia": "Build", "edges": [{"to": "check"}]},
            "check": {"materia": "Check", "parse": "json", "edges": [
                {"when": "not_satisfied", "to": "build", "maxTraversals": 2}, {"when": "satisfied", "to": "end"}]}}}},
        "materia": {"Build": {"tools": "none", "prompt": "Build"}, "Check": {"tools": "none", "prompt": "Check"}}});
    env.write("flow.json", config.to_string());
    let usage = json!({"input": 900, "output": 100, "totalTokens": 1000, "cost": {"total": 0.25}});
    let script = json!({"replies": [
        {"match": {"socket": "build"}, "text": format!("<script>alert('x')</script> with {key}"), "usage": usage, "times": 2},
        {"match": {"socket": "check", "contains": "alert"}, "json": {"satisfied": false, "context": "say <b>please</b>"}},
        {"match": {"socket": "check"}, "json": {"satisfied": true}}]});
    env.write("script.json", script.to_string());
    let request = format!("greet \"everybody\" </title> {key}");
    let cast = env
        .materia(&[
            "cast",
            "--config",
            "flow.json",
            "--agent-script",
            "script.json",
            &request,
            "--json",
        ])
        .run()
        .ok();
    assert_eq!(cast.json()["status"], "complete", "{}", cast.transcript());
    let report = env
        .materia(&["export", "--html", "report.html", "--json"])
        .run()
        .ok()
        .json();
    let page = env.read("report.html");
    assert_eq!(
        (report["ok"].as_bool(), report["bytes"].as_u64()),
        (Some(true), Some(page.len() as u64))
    );
    assert!(!page.contains(key), "the page contains a secret");
    assert!(
        !page.contains("<script") && !page.contains("</title> "),
        "markup was not escaped"
    );
    for part in [
        "&lt;script&gt;alert(&#39;x&#39;)",
        "say &lt;b&gt;please&lt;/b&gt;",
        "$0.50",
        "2k",
        "default-src 'none'",
        "class=\"grid\"",
        "2 times",
        "sent back",
        "sockets/build/1.output.md",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let addresses = page
        .match_indices("http")
        .map(|(at, _)| &page[at..(at + 40).min(page.len())]);
    let outside: Vec<&str> = addresses
        .filter(|at| !at.starts_with("http://www.w3.org/2000/svg") && !at.starts_with("http-equiv"))
        .collect();
    assert!(outside.is_empty(), "{outside:?}");
    let printed = env.materia(&["export", "--html", "-"]).run().ok().stdout;
    assert!(printed.starts_with("<!doctype html>"));
    assert_eq!(
        env.materia(&["export", "2020", "--html", "x.html"])
            .run()
            .code(),
        3
    );
}
