//! `room-swarm`: several roles work on one mission in the run's room, and a result is written.
//!
//! Owns the modes. *consensus*: rounds in which every role sees all earlier messages. *pipeline*:
//! one role after another. *fanout*: all roles at once, without seeing each other. *pool*: the
//! mission is split into tasks, and a free role takes the next one from the table of the lock
//! service. Every turn is one call of `materia agent run`; its answer is posted in the room in the
//! name of the role. Fails if no turn returned an answer.

mod role;
mod turn;

use std::time::Duration;

use materia_engine::store::file::{self, WriteMode};
use materia_engine::utility::step::{StepContext, StepOptions};
use materia_engine::utility::{UtilityError, UtilityReport};
use materia_model::message::MessageDraft;
use materia_model::text;
use serde_json::{Value, json};

use crate::locker::table::Table;
use crate::service::Service;
use crate::{files, locker};

use role::Role;
use turn::{Player, Turn};

/// Maximum number of tasks in a pool.
const MOST_TASKS: usize = 24;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Consensus,
    Pipeline,
    Fanout,
    Pool,
}

const WAYS: [(&str, Way); 4] = [
    ("consensus", Way::Consensus),
    ("pipeline", Way::Pipeline),
    ("fanout", Way::Fanout),
    ("pool", Way::Pool),
];

struct Swarm<'a, 'b> {
    context: &'a mut StepContext<'b>,
    service: Service,
    player: Player,
    mission: String,
    roles: Vec<Role>,
    lease: i64,
    turns: usize,
    failed: usize,
}

pub(crate) fn run(
    context: &mut StepContext<'_>,
    options: &StepOptions,
) -> Result<UtilityReport, UtilityError> {
    let way = options.word("mode", &WAYS, Way::Consensus)?;
    let mission = String::from_utf8_lossy(&files::all(context.stdin, "stdin")?)
        .trim()
        .to_owned();
    if mission.is_empty() {
        return Err(UtilityError::wrong(
            "there is no mission",
            "write it to stdin",
        ));
    }
    let service = Service::open(context, "pipeline-room-swarm")?;
    let file = options
        .path("roles-path", context)
        .map(|path| files::text(&path))
        .transpose()?;
    let roles = role::read(file.as_deref().or(options.text("roles")))?;
    let artifact = options
        .path("artifact", context)
        .unwrap_or_else(|| service.dir().join("artifacts/swarm.md"));
    let rounds = options.number("rounds", 4)?.clamp(1, 100);
    let pause = Duration::from_secs(options.number("delay", 10)?.min(24 * 3600));
    let lease = i64::try_from(options.number("lease-ms", 600_000)?.max(1)).unwrap_or(i64::MAX);
    let player = Player::new(context, options)?;
    let mut swarm = Swarm {
        context,
        service,
        player,
        mission,
        roles,
        lease,
        turns: 0,
        failed: 0,
    };
    swarm.tell(
        "swarm.started",
        &format!("{} roles", swarm.roles.len()),
        json!({"roles": swarm.names()}),
    )?;
    swarm.everybody("actor.join", "present")?;
    match way {
        Way::Consensus => swarm.consensus(rounds, pause)?,
        Way::Pipeline => swarm.pipeline()?,
        Way::Fanout => swarm.fanout()?,
        Way::Pool => swarm.pool()?,
    }
    swarm.everybody("actor.leave", "left")?;
    let done = swarm.conclude(&artifact);
    if let Err(trouble) = &done {
        swarm.tell(
            "swarm.failed",
            &trouble.message,
            json!({"turns": swarm.turns, "failed": swarm.failed}),
        )?;
    }
    done
}

impl Swarm<'_, '_> {
    /// Every role speaks in every round and sees the messages of earlier rounds.
    fn consensus(&mut self, rounds: u64, pause: Duration) -> Result<(), UtilityError> {
        for round in 1..=rounds {
            let said = self.transcript()?;
            let turns = self.roles.iter().map(|role| {
                let task = format!(
                    "Round {round} of {rounds}. Say what you think now, where you agree and disagree and why, and \
                     what would change your mind. Be brief."
                );
                self.turn(role, &task, &said)
            });
            let turns = turns.collect();
            self.play(turns, "swarm.note", &json!({"round": round}))?;
            if round < rounds && self.context.processes.rest(pause).is_some() {
                return Err(UtilityError::interrupted("the swarm"));
            }
        }
        Ok(())
    }

    /// One role after another; each continues from the earlier answers.
    fn pipeline(&mut self) -> Result<(), UtilityError> {
        for index in 0..self.roles.len() {
            let said = self.transcript()?;
            let task = format!(
                "You are number {} of {}. Go on from what is there.",
                index + 1,
                self.roles.len()
            );
            let turn = self.turn(&self.roles[index], &task, &said);
            self.play(vec![turn], "swarm.step", &json!({"step": index + 1}))?;
        }
        Ok(())
    }

    /// All roles at once, independently.
    fn fanout(&mut self) -> Result<(), UtilityError> {
        let task = "Work on the mission by yourself. Nobody else sees your answer before everybody is done.";
        let turns = self
            .roles
            .iter()
            .map(|role| self.turn(role, task, ""))
            .collect();
        self.play(turns, "swarm.answer", &json!({}))
    }

    /// Tasks in a table; a free role takes the next one.
    fn pool(&mut self) -> Result<(), UtilityError> {
        let cut = format!(
            "Cut the mission into at most {MOST_TASKS} tasks that can be done independently. UtilityReport with one task on \
             each line and nothing else."
        );
        let first = self.roles.first().cloned().unwrap_or_else(Role::anybody);
        let turn = self.turn(&first, &cut, "");
        let plan = self.play_quietly(vec![turn])?;
        let lines = plan
            .first()
            .map(|(_, answer)| answer.clone())
            .unwrap_or_default();
        let tasks: Vec<String> = lines
            .lines()
            .map(role::bare)
            .filter(|line| !line.is_empty())
            .take(MOST_TASKS)
            .collect();
        let mut table = locker::read(self.service.dir())?;
        for (index, task) in tasks.iter().enumerate() {
            self.ask(
                &mut table,
                "enqueue",
                &json!({"id": format!("task-{}", index + 1), "task": task}),
            );
        }
        locker::keep(self.service.dir(), &table)?;
        self.service
            .speak(None, "swarm.tasks", json!({"tasks": tasks}))?;
        loop {
            let mut turns = Vec::new();
            for role in self.roles.clone() {
                let (kind, body) = self.ask(&mut table, "claim", &json!({"owner": role.name}));
                if kind != "assigned" {
                    break;
                }
                let task = format!("Your task: {}", body["task"].as_str().unwrap_or_default());
                let mut turn = self.turn(&role, &task, "");
                turn.task = body["id"].as_str().map(str::to_owned);
                turns.push(turn);
            }
            locker::keep(self.service.dir(), &table)?;
            if turns.is_empty() {
                return Ok(());
            }
            let owners: Vec<(String, Option<String>)> = turns
                .iter()
                .map(|turn| (turn.role.name.to_string(), turn.task.clone()))
                .collect();
            let answered = self.play_named(turns, "swarm.result")?;
            for (owner, task) in owners {
                let verb = if answered.contains(&owner) {
                    "complete"
                } else {
                    "fail"
                };
                self.ask(&mut table, verb, &json!({"owner": owner, "id": task}));
            }
            locker::keep(self.service.dir(), &table)?;
        }
    }

    fn ask(&self, table: &mut Table, verb: &str, body: &Value) -> (String, Value) {
        let now = self.context.clock.now().as_millis();
        let reply = table.apply(verb, body, None, "swarm", now, self.lease);
        (reply.kind, reply.body)
    }

    fn turn(&self, role: &Role, task: &str, said: &str) -> Turn {
        Turn {
            role: role.clone(),
            prompt: role.prompt(&self.mission, task, said),
            task: None,
            mail: Vec::new(),
        }
    }

    /// Runs turns concurrently and posts each result in the room.
    fn play(&mut self, turns: Vec<Turn>, kind: &str, about: &Value) -> Result<(), UtilityError> {
        for (role, answer) in self.play_quietly(turns)? {
            let mut body = json!({"text": text::bounded(&answer, turn::TOLD)});
            if let (Some(body), Some(about)) = (body.as_object_mut(), about.as_object()) {
                body.extend(about.clone());
            }
            self.service.speak(Some(&role.name), kind, body)?;
        }
        Ok(())
    }

    /// Like `play`, but returns the names of the roles that answered.
    fn play_named(&mut self, turns: Vec<Turn>, kind: &str) -> Result<Vec<String>, UtilityError> {
        let tasks: Vec<(Role, Option<String>)> = turns
            .iter()
            .map(|turn| (turn.role.clone(), turn.task.clone()))
            .collect();
        let mut names = Vec::new();
        for (role, answer) in self.play_quietly(turns)? {
            let task = tasks
                .iter()
                .find(|(other, _)| other.name == role.name)
                .and_then(|(_, task)| task.clone());
            let body = json!({"task": task, "text": text::bounded(&answer, turn::TOLD)});
            self.service.speak(Some(&role.name), kind, body)?;
            names.push(role.name.to_string());
        }
        Ok(names)
    }

    fn play_quietly(&mut self, mut turns: Vec<Turn>) -> Result<Vec<(Role, String)>, UtilityError> {
        self.turns += turns.len();
        turns
            .iter_mut()
            .try_for_each(|turn| turn.take_mail(&self.service))?;
        let ended = self.player.play(&turns, self.context.processes)?;
        let mut answers = Vec::new();
        for (turn, ended) in turns.into_iter().zip(ended) {
            turn.settle_mail(&self.service, ended.as_ref().err())?;
            match ended {
                Ok(answer) => answers.push((turn.role, answer)),
                Err(why) => {
                    self.failed += 1;
                    let body = json!({"error": text::bounded(&why, 1000)});
                    self.service
                        .speak(Some(&turn.role.name), "swarm.turn_failed", body)?;
                }
            }
        }
        Ok(answers)
    }

    /// Combines the answers and writes the artifact.
    fn conclude(&mut self, artifact: &std::path::Path) -> Result<UtilityReport, UtilityError> {
        if self.turns > 0 && self.failed == self.turns {
            let hint = "see what agents there are with `materia agent list`, and the room with `materia inspect`";
            return Err(UtilityError::failed(
                format!("all {} turns failed", self.turns),
                hint,
            ));
        }
        let said = self.transcript()?;
        let writer = Role::writer();
        let task = "Write what came of it: the outcome first, then what is agreed, what is not, and what to do next. \
                    Keep what one voice alone said. UtilityReport with the text and nothing else.";
        let turn = self.turn(&writer, task, &said);
        let ended = self.player.play(&[turn], self.context.processes)?;
        self.turns += 1;
        let synthesis = match ended.into_iter().next() {
            Some(Ok(text)) if !text.trim().is_empty() => text,
            Some(Err(why)) => {
                return Err(UtilityError::failed(
                    format!("nobody could sum it up: {why}"),
                    "see the room",
                ));
            }
            _ => {
                return Err(UtilityError::failed(
                    "the summary is empty",
                    "see what was said in the room",
                ));
            }
        };
        file::write(
            artifact,
            format!("{}\n", synthesis.trim_end()).as_bytes(),
            WriteMode::Overwrite,
        )
        .map_err(|error| {
            UtilityError::failed(
                format!("{} cannot be written: {error}", artifact.display()),
                "name another artifact",
            )
        })?;
        let body = json!({"artifact": artifact, "turns": self.turns, "failed": self.failed});
        self.tell(
            "swarm.done",
            &format!("wrote {}", artifact.display()),
            body.clone(),
        )?;
        let mut report = json!({"ok": true});
        if let (Some(report), Some(body)) = (report.as_object_mut(), body.as_object()) {
            report.extend(body.clone());
        }
        Ok(report.into())
    }

    fn transcript(&self) -> Result<String, UtilityError> {
        turn::transcript(&self.service)
    }

    fn names(&self) -> Vec<String> {
        self.roles
            .iter()
            .map(|role| role.name.to_string())
            .collect()
    }

    fn everybody(&self, kind: &str, status: &str) -> Result<(), UtilityError> {
        let body =
            |role: &Role| json!({"role": "participant", "status": status, "display": role.about});
        self.roles
            .iter()
            .try_for_each(|role| self.service.speak(Some(&role.name), kind, body(role)))
    }

    fn tell(&self, kind: &str, summary: &str, body: Value) -> Result<(), UtilityError> {
        self.service.send(MessageDraft {
            to: "coordinator".to_owned(),
            kind: kind.to_owned(),
            body: Some(body),
            from: Some(format!("run:{}", self.service.run())),
            summary: Some(text::bounded(summary, 200).into_owned()),
            ..MessageDraft::default()
        })
    }
}
