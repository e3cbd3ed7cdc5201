//! `materia plan`: the number of turns and their estimated cost, without a model (C23).

use insta::assert_snapshot;

use crate::casts::example_env;
use crate::test_env::TestEnv;

#[test]
fn a_shipped_loadout_is_planned_without_a_config() {
    let env = TestEnv::new();
    let outputs = [
        env.materia(&["plan"]).run().ok(),
        env.materia(&["plan", "nobody"]).run(),
    ];
    assert_snapshot!(outputs.map(|outcome| outcome.transcript()).join("\n"));
}

#[test]
fn c23_a_cast_stays_within_its_plan_and_earlier_casts_give_costs() {
    let env = example_env();
    let args = ["plan", "--config", "flow.json", "--items", "2", "--json"];
    let plan = env.materia(&args).run().ok().json();
    assert_has!(plan, {"estimate": null, "turns": {"smooth": 5}});
    let cast = [
        "cast",
        "--config",
        "flow.json",
        "--agent-script",
        "script.json",
        "x",
        "--json",
    ];
    let done = env.materia(&cast).run().ok().json();
    for socket in plan["sockets"].as_array().unwrap() {
        let visits = done["visits"][socket["socket"].as_str().unwrap()]
            .as_u64()
            .unwrap();
        let (smooth, most) = (
            socket["visits"]["smooth"].as_u64().unwrap(),
            socket["visits"]["most"].as_u64().unwrap(),
        );
        assert!(smooth <= visits && visits <= most, "{visits} of {socket}");
    }
    let plan = env.materia(&args).run().ok().json();
    // One `plan` turn of 30 tokens, two `work` turns of 40, two `check` turns of 10.
    assert_eq!(plan["estimate"]["tokens"], 130);
}
