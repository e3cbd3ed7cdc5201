//! `materia plan`: how far a loadout fans out, without a model (C23).

use insta::assert_snapshot;

use crate::casts::example_env;
use crate::test_env::TestEnv;

#[test]
fn what_ships_is_planned_without_any_config() {
    let env = TestEnv::new();
    let said = [
        env.materia(&["plan"]).run().ok(),
        env.materia(&["plan", "nobody"]).run(),
    ];
    assert_snapshot!(said.map(|outcome| outcome.transcript()).join("\n"));
}

#[test]
fn c23_no_cast_goes_beyond_its_plan_and_earlier_casts_tell_what_it_costs() {
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
    // One plan of 30, two works of 40, two checks of 10.
    assert_eq!(plan["estimate"]["tokens"], 130);
}
