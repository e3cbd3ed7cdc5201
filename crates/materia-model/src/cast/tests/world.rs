//! A test environment for casts: a loadout, scripted answers, and a clock that ticks by itself.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::agent::{self, AgentFailureKind, TurnOutcome, Usage};
use crate::cast::event::CastStart;
use crate::cast::{CastEffect, CastEvent, CastEventBody, CastFacts, CastState, Kernel};
use crate::finding::Source;
use crate::loadout::{Config, ConfigDocument, ConfigLayer, ConfigScope};
use crate::time::Timestamp;
use crate::utility::UtilityExit;

/// A scripted answer.
pub(super) enum Reply {
    Text(String),
    Json(Value),
    Spent(Value, u64),
    Fail(AgentFailureKind),
    Exit(i32),
    Killed,
}

pub(super) fn text(words: &str) -> Reply {
    Reply::Text(words.to_owned())
}

pub(super) fn yes() -> Reply {
    Reply::Json(json!({"satisfied": true}))
}

pub(super) fn no(reason: &str) -> Reply {
    Reply::Json(json!({"satisfied": false, "context": reason}))
}

pub(super) fn items(titles: &[&str]) -> Reply {
    let items: Vec<Value> = titles
        .iter()
        .map(|title| json!({"title": title, "context": format!("Finish {title}.")}))
        .collect();
    Reply::Json(json!({"workItems": items}))
}

/// A dispatched visit.
pub(super) struct Question<'a> {
    pub(super) socket: &'a str,
    pub(super) item: Option<&'a str>,
    pub(super) prompt: &'a str,
    /// How often this socket was dispatched, this time included.
    pub(super) nth: usize,
}

pub(super) struct World {
    pub(super) kernel: Kernel,
    pub(super) state: CastState,
    pub(super) events: Vec<CastEvent>,
    asked: BTreeMap<String, usize>,
}

impl World {
    /// A cast of the active loadout that has recorded its start.
    pub(super) fn new(config: &Value) -> Self {
        let source = Source::new("materia.json", &config.to_string());
        let layers = [ConfigLayer {
            scope: ConfigScope::User,
            document: ConfigDocument::parse(source),
        }];
        let loaded = Config::load(&layers);
        let name = loaded.active().unwrap();
        let compiled = loaded.compile(name).unwrap();
        let graph = compiled
            .graph
            .unwrap_or_else(|| panic!("{:#?}", compiled.findings));
        let facts = CastFacts {
            cwd: "/p".to_owned(),
            run_dir: "/p/run".to_owned(),
            state_file: None,
        };
        let kernel = Kernel::new(graph, loaded.settings().clone(), facts);
        let mut world = Self {
            kernel,
            state: CastState::default(),
            events: Vec::new(),
            asked: BTreeMap::new(),
        };
        world.record(&CastEventBody::CastStart(CastStart {
            cast_id: "c1".to_owned(),
            request: "do the work".to_owned(),
            loadout: name.to_owned(),
            data: serde_json::Map::new(),
            more: serde_json::Map::new(),
        }));
        world
    }

    /// Records an event as a log would: written, read back, folded.
    pub(super) fn record(&mut self, body: &CastEventBody) {
        let data = serde_json::to_value(body.data()).unwrap();
        let read = CastEventBody::read(body.kind(), data).unwrap().unwrap();
        assert_eq!(read, *body, "an event is read as it was written");
        let event = CastEvent {
            at: Timestamp::from_millis(self.events.len() as i64 * 10),
            body: read,
        };
        self.state.apply(&event);
        self.events.push(event);
    }

    /// Drives the cast until it ends, waits, or is killed.
    pub(super) fn play(&mut self, answer: &mut dyn FnMut(&Question<'_>) -> Reply) -> &mut Self {
        for _ in 0..200_000 {
            match self.kernel.decide(&self.state) {
                CastEffect::Record(body) => self.record(&body),
                CastEffect::Ask(ask) => {
                    let reply = self.ask(
                        &ask.visit.place.socket,
                        ask.visit.place.item_key.as_deref(),
                        &ask.prompt,
                        answer,
                    );
                    self.dispatch();
                    let end = match reply {
                        Reply::Killed => return self,
                        other => turn_end(other),
                    };
                    for body in self.kernel.asked(&self.state, &end, None) {
                        self.record(&body);
                    }
                }
                CastEffect::Run(run) => {
                    let line = self.kernel.input(&self.state).unwrap().line().unwrap();
                    let reply = self.ask(
                        &run.visit.place.socket,
                        run.visit.place.item_key.as_deref(),
                        &line,
                        answer,
                    );
                    self.dispatch();
                    let (code, stdout) = match reply {
                        Reply::Killed => return self,
                        Reply::Exit(code) => (code, String::new()),
                        Reply::Text(text) => (0, text),
                        Reply::Json(json) | Reply::Spent(json, _) => (0, json.to_string()),
                        Reply::Fail(_) => (1, String::new()),
                    };
                    let ended = UtilityExit {
                        argv: vec!["u".to_owned()],
                        code: Some(code),
                        ..UtilityExit::default()
                    };
                    for body in self.kernel.ran(&self.state, &ended, &stdout, "", None) {
                        self.record(&body);
                    }
                }
                CastEffect::InDoubt => {
                    let body = self.kernel.interrupted(&self.state).unwrap();
                    self.record(&body);
                }
                CastEffect::Wait | CastEffect::Ended => return self,
            }
        }
        panic!("the cast does not end");
    }

    fn ask(
        &mut self,
        socket: &str,
        item: Option<&str>,
        prompt: &str,
        answer: &mut dyn FnMut(&Question<'_>) -> Reply,
    ) -> Reply {
        let nth = self.asked.entry(socket.to_owned()).or_default();
        *nth += 1;
        answer(&Question {
            socket,
            item,
            prompt,
            nth: *nth,
        })
    }

    fn dispatch(&mut self) {
        let body = self.kernel.dispatched(&self.state, None).unwrap();
        self.record(&body);
    }

    /// `ok`, or the code of the failure.
    pub(super) fn end(&self) -> String {
        match &self.state.failure {
            None => self.state.status.as_str().to_owned(),
            Some(failure) => serde_json::to_value(failure.code)
                .unwrap()
                .as_str()
                .unwrap()
                .to_owned(),
        }
    }

    /// The sockets in the order they were started, with the items.
    pub(super) fn trace(&self) -> String {
        let start = |event: &CastEvent| match &event.body {
            CastEventBody::SocketStart(start) => Some(match &start.place.item_key {
                Some(key) => format!("{}/{key}", start.place.socket),
                None => start.place.socket.clone(),
            }),
            _ => None,
        };
        self.events
            .iter()
            .filter_map(start)
            .collect::<Vec<_>>()
            .join(" ")
    }

    pub(super) fn count(&self, kind: &str) -> usize {
        self.events
            .iter()
            .filter(|event| event.body.kind() == kind)
            .count()
    }

    pub(super) fn visits(&self, socket: &str) -> u64 {
        self.state.visits.get(socket).copied().unwrap_or(0)
    }
}

fn turn_end(reply: Reply) -> TurnOutcome {
    let usage = Usage {
        total: 1,
        ..Usage::default()
    };
    let reply = match reply {
        Reply::Spent(json, total) => {
            return TurnOutcome::new(
                Ok(json.to_string()),
                Usage {
                    total,
                    ..Usage::default()
                },
            );
        }
        Reply::Text(text) => Ok(text),
        Reply::Json(json) => Ok(json.to_string()),
        Reply::Fail(kind) => Err(agent::AgentFailure::new(
            kind,
            format!("it says {}", kind.as_str()),
        )),
        Reply::Exit(_) | Reply::Killed => panic!("agents do not exit"),
    };
    TurnOutcome::new(reply, usage)
}

/// A config with agents `A` (plain), `G` (generator), `T` (talks) and utilities `U`, `UJ` (JSON),
/// `UG` (generator).
pub(super) fn config(sockets: &Value, loops: &Value) -> Value {
    config_with(sockets, loops, &json!({}))
}

pub(super) fn config_with(sockets: &Value, loops: &Value, more: &Value) -> Value {
    let entry = sockets.as_object().unwrap().keys().next().unwrap().clone();
    let mut config = json!({
        "activeLoadout": "T",
        "loadouts": {"T": {"entry": entry, "sockets": sockets, "loops": loops}},
        "materia": {
            "A": {"tools": "none", "prompt": "work"},
            "G": {"tools": "none", "prompt": "plan", "generator": true},
            "T": {"tools": "none", "prompt": "talk", "multiTurn": true},
            "U": {"type": "utility", "command": ["u"]},
            "UJ": {"type": "utility", "command": ["u"], "parse": "json"},
            "UG": {"type": "utility", "command": ["u"], "parse": "json", "generator": true}
        }
    });
    for (name, value) in more.as_object().unwrap() {
        match config.get_mut(name).and_then(Value::as_object_mut) {
            Some(there) => there.extend(value.as_object().unwrap().clone()),
            None => config[name] = value.clone(),
        }
    }
    config
}

/// Plan, build, check, ship over the items of a plan, then report.
pub(super) fn software(cap: Option<u64>) -> Value {
    let mut back = json!({"when": "not_satisfied", "to": "Build"});
    if let Some(cap) = cap {
        back["maxTraversals"] = cap.into();
    }
    config(
        &json!({
            "Plan": {"materia": "G", "edges": [{"when": "always", "to": "Build"}]},
            "Build": {"materia": "A", "parse": "text", "edges": [{"when": "always", "to": "Check"}]},
            "Check": {"materia": "A", "parse": "json", "edges": [{"when": "satisfied", "to": "Ship"}, back]},
            "Ship": {"materia": "A", "parse": "json", "edges": [{"when": "always", "to": "Build"}],
                     "advance": {"cursor": "workItemIndex", "items": "state.workItems", "when": "satisfied"}},
            "Tell": {"materia": "A", "parse": "text"}
        }),
        &json!({"work": {
            "sockets": ["Build", "Check", "Ship"],
            "consumes": {"from": "Plan", "output": "workItems"},
            "exit": {"from": "Ship", "when": "satisfied", "to": "end"},
            "exits": [{"id": "x", "from": "Ship", "condition": "always", "targetSocketId": "Tell"}]
        }}),
    )
}
