//! C16: the whole prompt of every kind of socket, word for word.

use serde_json::{Value, json};

use crate::agent::{TurnOutcome, Usage};
use crate::cast::event::CastStart;
use crate::cast::{CastEffect, CastEvent, CastEventBody, CastFacts, CastState, Kernel};
use crate::finding::Source;
use crate::loadout::{Config, ConfigDocument, ConfigLayer, ConfigScope};
use crate::time::Timestamp;

/// A cast with scripted answers. An answer that is not a string is JSON.
struct Play {
    kernel: Kernel,
    state: CastState,
    session: Option<String>,
}

impl Play {
    fn new(materia: &Value, sockets: &Value, loops: &Value) -> Self {
        let entry = sockets.as_object().unwrap().keys().next().unwrap();
        let config = json!({
            "activeLoadout": "T", "materia": materia,
            "loadouts": {"T": {"entry": entry, "sockets": sockets, "loops": loops}}
        });
        let document = ConfigDocument::parse(Source::new("materia.json", &config.to_string()));
        let layers = [ConfigLayer {
            scope: ConfigScope::User,
            document,
        }];
        let config = Config::load(&layers);
        let compiled = config.compile("T").unwrap();
        let graph = compiled
            .graph
            .unwrap_or_else(|| panic!("{:#?}", compiled.findings));
        let facts = CastFacts {
            state_file: Some("/p/run/state.json".to_owned()),
            ..CastFacts::default()
        };
        let kernel = Kernel::new(graph, config.settings().clone(), facts);
        let mut play = Self {
            kernel,
            state: CastState::default(),
            session: None,
        };
        let (data, more) = (serde_json::Map::new(), serde_json::Map::new());
        let start = CastStart {
            cast_id: "c".into(),
            request: "stop the leak".into(),
            loadout: "T".into(),
            data,
            more,
        };
        play.record(CastEventBody::CastStart(start));
        play
    }

    fn record(&mut self, body: CastEventBody) {
        self.state.apply(&CastEvent {
            at: Timestamp::from_millis(0),
            body,
        });
    }

    /// The next prompt.
    fn prompt(&mut self) -> String {
        loop {
            match self.kernel.decide(&self.state) {
                CastEffect::Record(body) => self.record(*body),
                CastEffect::Ask(ask) => return ask.prompt,
                other => panic!("no turn but {other:?}"),
            }
        }
    }

    /// Answers the next prompt.
    fn answer(&mut self, reply: &Value) -> &mut Self {
        self.prompt();
        let body = self.kernel.dispatched(&self.state, None).unwrap();
        self.record(body);
        let reply = Ok(reply
            .as_str()
            .map_or_else(|| reply.to_string(), str::to_owned));
        let end = TurnOutcome {
            session: self.session.clone(),
            ..TurnOutcome::new(reply, Usage::default())
        };
        for body in self.kernel.asked(&self.state, &end, None) {
            self.record(body);
        }
        self
    }
}

fn plumbers() -> Play {
    let materia = json!({
        "Plan": {"tools": "none", "prompt": "You plan the work.", "generator": true},
        "Fix": {"tools": "coding", "prompt": "You fix one thing."},
        "Check": {"tools": "readOnly", "prompt": "You check one fix."},
        "Tell": {"tools": "none", "prompt": "Tell what was done for: {{request}}"}
    });
    let sockets = json!({
        "S1": {"materia": "Plan", "edges": [{"to": "S2"}]},
        "S2": {"materia": "Fix", "edges": [{"to": "S3"}]},
        "S3": {"materia": "Check", "parse": "json", "assign": {"verdict.score": "$.score", "why": "$.context"},
               "edges": [{"when": "not_satisfied", "to": "S2"}, {"when": "satisfied", "to": "S2"}]},
        "S4": {"materia": "Tell"}
    });
    let loops = json!({"l": {"sockets": ["S2", "S3"], "consumes": {"from": "S1", "output": "workItems"},
                             "exit": {"from": "S3", "when": "satisfied", "to": "S4"}}});
    Play::new(&materia, &sockets, &loops)
}

fn plan() -> Value {
    json!({"workItems": [{"title": "Close the valve", "context": "It is in the cellar."},
                         {"title": "Mop", "context": "Use the big one."}],
           "context": "The water comes from above."})
}

const GENERATOR: &str = "\
You plan the work.

## Request
stop the leak

## Answer
Reply with one JSON object and nothing else: no prose around it, no code fence.
- `workItems` (list, required): the work in order; each item is `{\"title\": \"…\", \"context\": \"…\"}`, two texts and no other fields
- `context` (text, optional): what the next steps need to know
No other fields.";

const TEXT: &str = "\
You fix one thing.

## Request
stop the leak

## Work item 1 of 2: Close the valve
It is in the cellar.

## From earlier steps
- S1 Plan: The water comes from above.

## Answer
Reply in plain text: what you did and what the next step needs to know, in a few sentences.";

const EVALUATOR: &str = "\
You check one fix.

## Request
stop the leak

## Work item 1 of 2: Close the valve
It is in the cellar.

## From earlier steps
- S1 Plan: The water comes from above.

## Result of S2 Fix
I closed it.

## Answer
Reply with one JSON object and nothing else: no prose around it, no code fence.
- `satisfied` (true or false, required): whether this is good enough to go on
- `score` (required): kept as `verdict.score`
- `context` (text): what the next step needs to know; when not satisfied, exactly what must change
No other fields.";

const REWORK: &str = "\
You fix one thing.

## Request
stop the leak

## Work item 1 of 2: Close the valve
It is in the cellar.

## Work again
The last result was not accepted. Fix this first:
- S3 (Check), Close the valve: It still drips.

## From earlier steps
- S1 Plan: The water comes from above.

## Shared state
`verdict` and `why` in /p/run/state.json: read it there when you need it.

## Answer
Reply in plain text: what you did and what the next step needs to know, in a few sentences.";

const NARRATOR: &str = "\
Tell what was done for: stop the leak

## From earlier steps
- S1 Plan: The water comes from above.
- S3 Check: Dry.
- S3 Check: Clean.

## Shared state
`verdict` and `why` in /p/run/state.json: read it there when you need it.

## Answer
Reply in plain text: what you did and what the next step needs to know, in a few sentences.";

#[test]
fn generator_text_evaluator_rework_and_narrator() {
    let mut play = plumbers();
    assert_eq!(play.prompt(), GENERATOR);
    play.answer(&plan());
    assert_eq!(play.prompt(), TEXT);
    play.answer(&json!("I closed it."));
    assert_eq!(play.prompt(), EVALUATOR);
    play.answer(&json!({"satisfied": false, "score": 1, "context": "It still drips."}));
    assert_eq!(play.prompt(), REWORK);
    play.answer(&json!("I closed it again."))
        .answer(&json!({"satisfied": true, "score": 5, "context": "Dry."}));
    let second = play.prompt();
    assert!(
        second.contains("## Work item 2 of 2: Mop\nUse the big one."),
        "{second}"
    );
    for stale in ["drips", "Dry", "closed it"] {
        assert!(
            !second.contains(stale),
            "C15: {stale} is of another item\n{second}"
        );
    }
    play.answer(&json!("Mopped."))
        .answer(&json!({"satisfied": true, "score": 5, "context": "Clean."}));
    assert_eq!(play.prompt(), NARRATOR);
}

const REPAIR: &str = "\
You plan the work.

## Request
stop the leak

## Your last answer
It cannot be used:
- $.workItems: `workItems` (a list) is missing
- $.tasks: `tasks` is not part of the handoff: write `workItems` instead

It was:
~~~
{\"tasks\":[]}
~~~
Do the work only as far as the answer needs it; give the corrected answer.

## Answer
Reply with one JSON object and nothing else: no prose around it, no code fence.
- `workItems` (list, required): the work in order; each item is `{\"title\": \"…\", \"context\": \"…\"}`, two texts and no other fields
- `context` (text, optional): what the next steps need to know
No other fields.";

#[test]
fn repair() {
    let mut play = plumbers();
    play.answer(&json!({"tasks": []}));
    assert_eq!(play.prompt(), REPAIR);
}

const FIRST: &str = "\
You plan with the person.

## Request
stop the leak

## Answer
Talk with the person: ask what you need to know and say what you propose. Do not give the final result yet; it is asked for when the person types `materia continue`.";

const REFINE: &str = "\
You plan with the person.

## Request
stop the leak

## Conversation so far
You: Which floor?
Person: The second.

## Answer
Answer the person's last words. Do not give the final result yet; it is asked for when the person types `materia continue`.";

const FINALISE: &str = "\
You plan with the person.

## Request
stop the leak

## Conversation so far
You: Which floor?
Person: The second.
You: Then the bathroom.

## Answer
The conversation is over: give its final result now.
Reply with one JSON object and nothing else: no prose around it, no code fence.
- `context` (text, optional): what the next steps need to know
Further fields are kept as they are.";

#[test]
fn first_reply_refine_and_finalise() {
    let materia = json!({"Talk": {"tools": "none", "prompt": "You plan with the person.", "multiTurn": true}});
    let sockets = json!({"S1": {"materia": "Talk", "parse": "json", "assign": {"all": "$"}}});
    let mut play = Play::new(&materia, &sockets, &json!({}));
    assert_eq!(play.prompt(), FIRST);
    play.answer(&json!("Which floor?"));
    let said = play.state.go_on_with(Some("The second.")).unwrap();
    play.record(said);
    assert_eq!(play.prompt(), REFINE);
    play.answer(&json!("Then the bathroom."));
    let finalise = play.state.go_on_with(None).unwrap();
    play.record(finalise);
    assert_eq!(play.prompt(), FINALISE);
}

#[test]
fn a_generator_behind_a_generator_sees_the_list_it_transforms() {
    let materia = json!({"Plan": {"tools": "none", "prompt": "plan", "generator": true},
                         "Refine": {"tools": "none", "prompt": "refine", "generator": true}});
    let sockets =
        json!({"S1": {"materia": "Plan", "edges": [{"to": "S2"}]}, "S2": {"materia": "Refine"}});
    let mut play = Play::new(&materia, &sockets, &json!({}));
    play.answer(&plan());
    let prompt = play.prompt();
    assert!(prompt.contains(
        "## Current work items\n1. Close the valve: It is in the cellar.\n2. Mop: Use the big one."
    ));
}

#[test]
fn prompts_are_bounded_whatever_the_state_holds() {
    let mut play = plumbers();
    play.state.request = "r".repeat(10 << 20);
    play.answer(&plan());
    play.state
        .data
        .insert("huge".to_owned(), "x".repeat(10 << 20).into());
    play.answer(&json!("y".repeat(1 << 20)));
    assert!(play.prompt().len() < 128 << 10);
}

#[test]
fn c16_an_agent_that_remembers_is_told_only_what_is_new() {
    let mut play = Play::new(
        &json!({"P": {"tools": "none", "prompt": "Plan with the person.", "multiTurn": true, "parse": "json"}}),
        &json!({"a": {"materia": "P"}}),
        &json!({}),
    );
    play.session = Some("s-1".to_owned());
    play.answer(&json!("Which leak?"));
    let said = play
        .state
        .go_on_with(Some("the one in the cellar"))
        .unwrap();
    play.record(said);
    let refine = play.prompt();
    assert!(
        refine.starts_with("the one in the cellar\n\n## Answer\n"),
        "{refine}"
    );
    play.answer(&json!("I see."));
    let done = play.state.go_on_with(None).unwrap();
    play.record(done);
    let last = play.prompt();
    assert!(
        last.starts_with("## Answer\nThe conversation is over"),
        "{last}"
    );
    play.answer(&json!("no JSON at all"));
    let repair = play.prompt();
    assert!(
        repair.starts_with("## Your last answer\n") && !repair.contains("Plan with the person"),
        "{repair}"
    );
}
