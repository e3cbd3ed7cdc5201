//! Long operations as tasks, for clients that declare support for them.

use serde_json::{Value, json};

use super::{Client, text};
use crate::test_env::TestEnv;

/// A client of the newest revision that supports tasks, and elicitation if asked for.
struct TaskClient<'a>(Client<'a>, Value);

fn task_client<'a>(
    env: &'a TestEnv,
    args: &[&str],
    variables: &[(&str, &str)],
    elicits: bool,
) -> TaskClient<'a> {
    let mut capabilities = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
    if elicits {
        capabilities["elicitation"] = json!({});
    }
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": capabilities});
    let mut task_client = TaskClient(Client::open_raw(env, args, variables), meta);
    let found = task_client.request("server/discover", json!({}));
    assert!(
        found["capabilities"]["extensions"]["io.modelcontextprotocol/tasks"].is_object(),
        "{found}"
    );
    task_client
}

impl TaskClient<'_> {
    fn with_meta(&self, mut params: Value) -> Value {
        params["_meta"] = self.1.clone();
        params
    }

    fn request(&mut self, method: &str, params: Value) -> Value {
        let params = self.with_meta(params);
        self.0.request(method, params)
    }

    fn request_error(&mut self, method: &str, params: Value) -> Value {
        let params = self.with_meta(params);
        self.0.request_error(method, params)
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

/// Polls a task until it has this status, as a client does.
fn wait_for_status(client: &mut TaskClient<'_>, id: &str, status: &str) -> Value {
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
    let mut client = task_client(&env, &["mcp", "--session", "s"], &[], false);
    let started = client.call("spawn", json!({"template": "cat", "as": "run:a"}));
    // The run reads nothing and ends at once; its task has the result.
    let id = started["taskId"]
        .as_str()
        .unwrap_or_else(|| panic!("{started}"))
        .to_owned();
    let done = wait_for_status(&mut client, &id, "completed");
    assert_eq!(done["result"]["structuredContent"]["run"], "a", "{done}");
    assert_eq!(text(&done["result"]), "run:a done code=0");
    let started = client.call("spawn", json!({"template": "sleep 600", "as": "run:b"}));
    assert_has!(started, {"resultType": "task", "status": "working"});
    assert!(
        started["statusMessage"].as_str().unwrap().contains("run:b"),
        "the message must name the run: {started}"
    );
    let id = started["taskId"].as_str().unwrap().to_owned();
    let waits = client.call("wait", json!({"runs": ["run:b"]}));
    let wait = waits["taskId"]
        .as_str()
        .unwrap_or_else(|| panic!("{waits}"))
        .to_owned();
    let short_wait = client.call("wait", json!({"runs": ["run:b"], "timeout": 0}));
    assert_eq!(
        short_wait["structuredContent"]["timedOut"], true,
        "a short wait must return a result: {short_wait}"
    );
    client.0.kill();
    let mut again = task_client(&env, &["mcp", "--session", "s"], &[], false);
    wait_for_status(&mut again, &id, "working");
    again.request("tasks/cancel", json!({"taskId": wait}));
    wait_for_status(&mut again, &id, "working");
    again.request("tasks/cancel", json!({"taskId": id}));
    wait_for_status(&mut again, &id, "cancelled");
    let completed_wait = wait_for_status(&mut again, &wait, "completed");
    assert_eq!(
        completed_wait["result"]["structuredContent"]["runs"][0]["status"], "killed",
        "{completed_wait}"
    );
    // A new generation of the run is a new task.
    again.call("spawn", json!({"template": "sleep 600", "as": "run:b"}));
    assert_eq!(
        wait_for_status(&mut again, &id, "completed")["result"]["isError"],
        false
    );
    again.request("tasks/cancel", json!({"taskId": id}));
    let alive = again.call("inspect", json!({"target": "run:b"}));
    assert_eq!(alive["structuredContent"]["status"], "running", "{alive}");
    again.call("message", json!({"to": "run:b", "type": "control.kill"}));
    again.close();
}

#[test]
fn tasks_need_client_support_and_the_same_session() {
    let env = TestEnv::new();
    let mut owner = task_client(&env, &["mcp", "--session", "s"], &[], false);
    let started = owner.call("spawn", json!({"template": "sleep 600", "as": "run:a"}));
    let id = started["taskId"].as_str().unwrap();
    let mut stranger = task_client(&env, &["mcp", "--session", "other"], &[], false);
    for method in ["tasks/get", "tasks/cancel"] {
        let refused = stranger.request_error(method, json!({"taskId": id}));
        assert_eq!(
            refused["data"]["error"]["code"], "session_mismatch",
            "{method}: {refused}"
        );
    }
    for wrong in ["", "run:none@x", "run:../x@y", "nonsense"] {
        assert_eq!(
            owner.request_error("tasks/get", json!({"taskId": wrong}))["code"],
            -32602,
            "{wrong}"
        );
    }
    // An older revision has no tasks, even if the client declares them.
    let mut plain = Client::open_raw(&env, &["mcp", "--session", "s"], &[]);
    let capabilities = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
    let info = json!({"name": "t", "version": "1"});
    let greeting =
        json!({"protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": info});
    plain.request("initialize", greeting);
    plain.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    let spawned = plain.call("spawn", json!({"template": "true", "as": "run:p"}));
    assert_eq!(
        spawned["structuredContent"]["run"], "p",
        "expected a report instead of a task: {spawned}"
    );
    plain.call("wait", json!({"runs": ["run:p"]}));
    plain.call("message", json!({"to": "run:a", "type": "control.kill"}));
    [owner, stranger].into_iter().for_each(TaskClient::close);
    plain.close();
}

#[test]
fn a_waiting_cast_asks_through_its_task() {
    let env = TestEnv::new();
    let talk = json!({"tools": "none", "prompt": "plan", "multiTurn": true});
    let loadout = json!({"entry": "Socket-1", "sockets": {"Socket-1": {"materia": "Talk"}}});
    let agents = json!({"parrot": {"command": ["sh", "-c", "cat >/dev/null; echo which one"]}});
    let config = json!({"activeLoadout": "T", "agent": "parrot", "agents": agents, "loadouts": {"T": loadout}, "materia": {"Talk": talk}});
    let config = env.write("flow.json", config.to_string());
    let variables = [("MATERIA_CONFIG", config.to_str().unwrap())];
    let mut client = task_client(&env, &["mcp", "--session", "s"], &variables, true);
    let started = client.call("cast", json!({"request": "build it"}));
    let id = started["taskId"]
        .as_str()
        .unwrap_or_else(|| panic!("{started}"))
        .to_owned();
    let waits = wait_for_status(&mut client, &id, "input_required");
    let (key, short_wait) = waits["inputRequests"]
        .as_object()
        .unwrap()
        .iter()
        .next()
        .unwrap();
    assert_eq!(short_wait["method"], "elicitation/create", "{waits}");
    let answer = json!({"action": "accept", "content": {"answer": "the second"}});
    client.request(
        "tasks/update",
        json!({"taskId": id, "inputResponses": {"answer-99": answer}}),
    );
    let same = client.request("tasks/get", json!({"taskId": id}));
    assert_eq!(
        same["status"], "input_required",
        "an answer with another key must be ignored"
    );
    client.request(
        "tasks/update",
        json!({"taskId": id, "inputResponses": {key: answer}}),
    );
    let again = wait_for_status(&mut client, &id, "input_required");
    let next = again["inputRequests"]
        .as_object()
        .unwrap()
        .keys()
        .next()
        .unwrap();
    assert_ne!(next, key, "the next question must have a new key");
    client.request(
        "tasks/update",
        json!({"taskId": id, "inputResponses": {next: {"action": "decline"}}}),
    );
    let done = wait_for_status(&mut client, &id, "completed");
    assert_eq!(done["result"]["isError"], false, "{done}");
    // Without elicitation the task completes with a text, as without tasks.
    client.close();
    let mut client = task_client(&env, &["mcp", "--session", "s"], &variables, false);
    let started = client.call(
        "cast",
        json!({"request": "build more", "loadout": "T", "as": "run:c"}),
    );
    let id = started["taskId"].as_str().unwrap().to_owned();
    let completed = wait_for_status(&mut client, &id, "completed");
    assert!(
        text(&completed["result"]).contains("control.continue"),
        "{completed}"
    );
    client.close();
}
