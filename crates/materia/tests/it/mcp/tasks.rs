//! Long work as tasks, for clients that declare that they follow them.

use serde_json::{Value, json};

use super::{Client, text};
use crate::test_env::TestEnv;

/// A client of the newest revision that follows tasks, and can ask its person where it says so.
struct Follower<'a>(Client<'a>, Value);

fn follower<'a>(
    env: &'a TestEnv,
    args: &[&str],
    variables: &[(&str, &str)],
    asks: bool,
) -> Follower<'a> {
    let mut capabilities = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
    if asks {
        capabilities["elicitation"] = json!({});
    }
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": capabilities});
    let mut follower = Follower(Client::silent(env, args, variables), meta);
    let found = follower.request("server/discover", json!({}));
    assert!(
        found["capabilities"]["extensions"]["io.modelcontextprotocol/tasks"].is_object(),
        "{found}"
    );
    follower
}

impl Follower<'_> {
    fn with(&self, mut params: Value) -> Value {
        params["_meta"] = self.1.clone();
        params
    }

    fn request(&mut self, method: &str, params: Value) -> Value {
        let params = self.with(params);
        self.0.request(method, params)
    }

    fn refused(&mut self, method: &str, params: Value) -> Value {
        let params = self.with(params);
        self.0.refused(method, params)
    }

    #[expect(
        clippy::needless_pass_by_value,
        reason = "a table of calls reads better without references"
    )]
    fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    fn close(self) {
        self.0.close();
    }
}

/// Asks for a task until it is so far; a client would do the same, in the interval it was told.
fn until(client: &mut Follower<'_>, id: &str, status: &str) -> Value {
    for _ in 0..400 {
        let task = client.request("tasks/get", json!({"taskId": id}));
        if task["status"] == status {
            return task;
        }
        assert_eq!(task["status"], "working", "{task}");
        std::thread::sleep(std::time::Duration::from_millis(25));
    }
    panic!("{id} never became {status}");
}

#[test]
fn a_run_is_a_task_that_outlives_its_connection() {
    let env = TestEnv::new();
    let mut client = follower(&env, &["mcp", "--session", "s"], &[], false);
    let begun = client.call("spawn", json!({"template": "cat", "as": "run:a"}));
    // A run that reads nothing ends at once; it is the task that tells.
    let id = begun["taskId"]
        .as_str()
        .unwrap_or_else(|| panic!("{begun}"))
        .to_owned();
    let done = until(&mut client, &id, "completed");
    assert_eq!(done["result"]["structuredContent"]["run"], "a", "{done}");
    assert_eq!(text(&done["result"]), "run:a done code=0");
    let begun = client.call("spawn", json!({"template": "sleep 600", "as": "run:b"}));
    assert_has!(begun, {"resultType": "task", "status": "working"});
    assert!(
        begun["statusMessage"].as_str().unwrap().contains("run:b"),
        "a model may read it: {begun}"
    );
    let id = begun["taskId"].as_str().unwrap().to_owned();
    let waits = client.call("wait", json!({"runs": ["run:b"]}));
    let wait = waits["taskId"]
        .as_str()
        .unwrap_or_else(|| panic!("{waits}"))
        .to_owned();
    let asked = client.call("wait", json!({"runs": ["run:b"], "timeout": 0}));
    assert_eq!(
        asked["structuredContent"]["timedOut"], true,
        "who is in a hurry gets an answer: {asked}"
    );
    client.0.kill();
    let mut again = follower(&env, &["mcp", "--session", "s"], &[], false);
    until(&mut again, &id, "working");
    again.request("tasks/cancel", json!({"taskId": wait}));
    until(&mut again, &id, "working");
    again.request("tasks/cancel", json!({"taskId": id}));
    until(&mut again, &id, "cancelled");
    let over = until(&mut again, &wait, "completed");
    assert_eq!(
        over["result"]["structuredContent"]["runs"][0]["status"], "killed",
        "{over}"
    );
    // Another start of the run is another task.
    again.call("spawn", json!({"template": "sleep 600", "as": "run:b"}));
    assert_eq!(
        until(&mut again, &id, "completed")["result"]["isError"],
        false
    );
    again.request("tasks/cancel", json!({"taskId": id}));
    let alive = again.call("inspect", json!({"target": "run:b"}));
    assert_eq!(alive["structuredContent"]["status"], "running", "{alive}");
    again.call("message", json!({"to": "run:b", "type": "control.kill"}));
    again.close();
}

#[test]
fn tasks_are_for_those_who_follow_them_and_for_nobody_elses_runs() {
    let env = TestEnv::new();
    let mut owner = follower(&env, &["mcp", "--session", "s"], &[], false);
    let begun = owner.call("spawn", json!({"template": "sleep 600", "as": "run:a"}));
    let id = begun["taskId"].as_str().unwrap();
    let mut stranger = follower(&env, &["mcp", "--session", "other"], &[], false);
    for method in ["tasks/get", "tasks/cancel"] {
        let refused = stranger.refused(method, json!({"taskId": id}));
        assert_eq!(
            refused["data"]["error"]["code"], "session_mismatch",
            "{method}: {refused}"
        );
    }
    for wrong in ["", "run:none@x", "run:../x@y", "nonsense"] {
        assert_eq!(
            owner.refused("tasks/get", json!({"taskId": wrong}))["code"],
            -32602,
            "{wrong}"
        );
    }
    // An older revision has no tasks, whatever its client declares.
    let mut plain = Client::silent(&env, &["mcp", "--session", "s"], &[]);
    let capabilities = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
    let info = json!({"name": "t", "version": "1"});
    let greeting =
        json!({"protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": info});
    plain.request("initialize", greeting);
    plain.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    let spawned = plain.call("spawn", json!({"template": "true", "as": "run:p"}));
    assert_eq!(
        spawned["structuredContent"]["run"], "p",
        "a report, and no task: {spawned}"
    );
    plain.call("wait", json!({"runs": ["run:p"]}));
    plain.call("message", json!({"to": "run:a", "type": "control.kill"}));
    [owner, stranger].into_iter().for_each(Follower::close);
    plain.close();
}

#[test]
fn a_cast_that_waits_asks_through_its_task() {
    let env = TestEnv::new();
    let talk = json!({"tools": "none", "prompt": "plan", "multiTurn": true});
    let loadout = json!({"entry": "Socket-1", "sockets": {"Socket-1": {"materia": "Talk"}}});
    let agents = json!({"parrot": {"command": ["sh", "-c", "cat >/dev/null; echo which one"]}});
    let config = json!({"activeLoadout": "T", "agent": "parrot", "agents": agents, "loadouts": {"T": loadout}, "materia": {"Talk": talk}});
    let config = env.write("flow.json", config.to_string());
    let variables = [("MATERIA_CONFIG", config.to_str().unwrap())];
    let mut client = follower(&env, &["mcp", "--session", "s"], &variables, true);
    let begun = client.call("cast", json!({"request": "build it"}));
    let id = begun["taskId"]
        .as_str()
        .unwrap_or_else(|| panic!("{begun}"))
        .to_owned();
    let waits = until(&mut client, &id, "input_required");
    let (key, asked) = waits["inputRequests"]
        .as_object()
        .unwrap()
        .iter()
        .next()
        .unwrap();
    assert_eq!(asked["method"], "elicitation/create", "{waits}");
    let answer = json!({"action": "accept", "content": {"answer": "the second"}});
    client.request(
        "tasks/update",
        json!({"taskId": id, "inputResponses": {"answer-99": answer}}),
    );
    let same = client.request("tasks/get", json!({"taskId": id}));
    assert_eq!(
        same["status"], "input_required",
        "that was no answer to this question"
    );
    client.request(
        "tasks/update",
        json!({"taskId": id, "inputResponses": {key: answer}}),
    );
    let again = until(&mut client, &id, "input_required");
    let next = again["inputRequests"]
        .as_object()
        .unwrap()
        .keys()
        .next()
        .unwrap();
    assert_ne!(next, key, "another question");
    client.request(
        "tasks/update",
        json!({"taskId": id, "inputResponses": {next: {"action": "decline"}}}),
    );
    let done = until(&mut client, &id, "completed");
    assert_eq!(done["result"]["isError"], false, "{done}");
    // Whoever cannot ask is told, as without tasks.
    client.close();
    let mut client = follower(&env, &["mcp", "--session", "s"], &variables, false);
    let begun = client.call(
        "cast",
        json!({"request": "build more", "loadout": "T", "as": "run:c"}),
    );
    let id = begun["taskId"].as_str().unwrap().to_owned();
    let rests = until(&mut client, &id, "completed");
    assert!(
        text(&rests["result"]).contains("control.continue"),
        "{rests}"
    );
    client.close();
}
