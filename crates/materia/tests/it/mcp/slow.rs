//! Calls that take seconds.

use serde_json::json;

use crate::test_env::TestEnv;

#[test]
fn a_long_call_sends_progress_notifications() {
    let env = TestEnv::new();
    let mut client = super::Client::open(&env, &["mcp"]);
    client.call("spawn", json!({"template": "sleep 600", "as": "run:a"}));
    let call =
        json!({"name": "wait", "arguments": {"runs": ["run:a"]}, "_meta": {"progressToken": "p"}});
    let waiting = client.send_request("tools/call", call);
    let progress = client.wait_for_notification("notifications/progress");
    assert_eq!(progress["progressToken"], "p");
    client.call("message", json!({"to": "run:a", "type": "control.kill"}));
    assert_eq!(
        client.response(waiting)["result"]["structuredContent"]["runs"][0]["status"],
        "killed"
    );
    client.close();
}
