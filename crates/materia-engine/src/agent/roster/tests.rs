//! Which agent is chosen, in which order, and the message if none is available.

use super::*;

fn program(command: &[&str], kind: Option<&str>) -> AgentProgram {
    AgentProgram {
        kind: kind.map(str::to_owned),
        command: command.iter().map(|word| (*word).to_owned()).collect(),
        env: BTreeMap::from([("A".to_owned(), "b".to_owned())]),
        model: Some("m".to_owned()),
        text: None,
        usage: None,
    }
}

fn roster(flag: Option<&str>, config: Option<&str>) -> Roster {
    let agents = [
        ("one", program(&["sh", "-c", "cat"], None)),
        ("two", program(&["sh"], Some("acp"))),
        ("odd", program(&["sh"], Some("telepathy"))),
        ("gone", program(&["no-such-program-q7"], Some("pi"))),
    ];
    let agents = agents
        .into_iter()
        .map(|(name, program)| (name.to_owned(), program))
        .collect();
    let settings = ConfigSettings {
        agent: config.map(str::to_owned),
        agents,
        ..ConfigSettings::default()
    };
    Roster::new(&settings, flag, Path::new("/"))
}

#[test]
fn the_role_comes_first_then_the_cast_then_the_config_then_whoever_is_found() {
    let chosen = |role, flag, config| {
        let chosen = roster(flag, config).choose(role).unwrap();
        (chosen.name.clone(), chosen.why)
    };
    assert_eq!(
        chosen(Some("one"), Some("two"), Some("two")),
        ("one".to_owned(), ChoiceReason::Role)
    );
    assert_eq!(
        chosen(None, Some("two"), Some("one")),
        ("two".to_owned(), ChoiceReason::Flag)
    );
    assert_eq!(
        chosen(None, None, Some("two")),
        ("two".to_owned(), ChoiceReason::Config)
    );
    assert_eq!(
        chosen(None, None, None),
        ("one".to_owned(), ChoiceReason::Found)
    );
}

#[test]
fn who_is_not_there_is_named_with_what_to_do() {
    let missing = |name: &str| roster(Some(name), None).choose(None).unwrap_err();
    assert!(missing("odd").hint.contains("acp"), "{:?}", missing("odd"));
    assert!(missing("gone").message.contains("no-such-program-q7"));
    assert_eq!(missing("onne").hint, "did you mean `one`?");
    assert!(
        missing("aider").hint.contains("`agents`"),
        "{:?}",
        missing("aider")
    );
}

#[test]
fn a_defined_agent_is_started_as_it_says() {
    let (start, _) = roster(None, None).choose(Some("two")).unwrap().cast();
    assert!(start.argv[0].to_string_lossy().ends_with("/sh"));
    assert_eq!(start.env, [("A".to_owned(), "b".to_owned())]);
    let (start, _) = roster(None, None).choose(Some("one")).unwrap().cast();
    assert_eq!(
        start.argv.len(),
        1,
        "the words of a command are filled in for each turn"
    );
}
