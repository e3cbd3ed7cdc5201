//! The agents of this machine as one backend: each turn goes to the agent that its role names.
//!
//! Owns the choice per turn, the loop that drives a turn to its end, and reporting once what an
//! agent cannot do. No process of a turn is left running when it returns.

use std::collections::BTreeSet;

use materia_model::agent::{AgentFailure, AgentFailureKind, TurnOutcome, Usage};

use super::backend::{Activity, AgentTurn, Answer, Backend, TurnCommand, Watch};
use super::roster::{MissingAgent, Roster};
use super::session::{Conclusion, Session};
use crate::process::{Event, ProcessSet};

/// The agents of this machine.
#[derive(Debug)]
pub struct Players {
    roster: Roster,
    told: BTreeSet<(String, String)>,
}

impl Players {
    /// The agents of a roster.
    pub fn new(roster: Roster) -> Self {
        Self {
            roster,
            told: BTreeSet::new(),
        }
    }

    /// Starts a turn for a caller that drives it with others. If it cannot start, returns its end.
    pub fn begin(
        &self,
        turn: &AgentTurn<'_>,
        processes: &mut ProcessSet,
    ) -> Result<Session, Box<TurnOutcome>> {
        let chosen = self.roster.choose(turn.agent).map_err(unavailable)?;
        let (start, protocol) = chosen.cast();
        let model = turn.model.or(chosen.model.as_deref());
        Session::begin(start, protocol, &AgentTurn { model, ..*turn }, processes)
    }

    /// Passes activity to the watcher, and does what the watcher wants.
    fn show(session: &mut Session, processes: &mut ProcessSet, watch: &mut dyn Watch) {
        for activity in session.seen() {
            let order = watch.see(&activity);
            Self::obey(session, processes, order);
        }
    }

    /// Runs a command of the watcher. If the agent cannot receive a steering text, `Heard` is not
    /// reported, so the sender can detect that.
    fn obey(session: &mut Session, processes: &mut ProcessSet, order: TurnCommand) {
        match order {
            TurnCommand::GoOn => {}
            TurnCommand::Steer(words) => _ = session.steer(&words, processes),
            TurnCommand::Stop(why) => session.abort(&why, processes),
        }
    }
}

impl Backend for Players {
    fn can_play(&self, agent: Option<&str>) -> Result<(), MissingAgent> {
        self.roster.choose(agent).map(drop)
    }

    fn ask(
        &mut self,
        turn: &AgentTurn<'_>,
        processes: &mut ProcessSet,
        watch: &mut dyn Watch,
    ) -> Answer {
        let mut session = match self.begin(turn, processes) {
            Ok(session) => session,
            Err(end) => return Answer::Ended(*end),
        };
        for limit in session.cannot() {
            if self.told.insert((session.name().to_owned(), limit.clone())) {
                let text = format!("{}: {limit}", session.name());
                let _nothing_runs_yet = watch.see(&Activity::Notice { text });
            }
        }
        loop {
            Self::show(&mut session, processes, watch);
            match processes.next_among(Some(session.leaf()), watch.wakes(), session.due()) {
                Some(Event::Interrupt(_)) => session.interrupt(processes),
                Some(Event::Readable(_)) => {
                    watch
                        .woken()
                        .into_iter()
                        .for_each(|order| Self::obey(&mut session, processes, order));
                }
                Some(event) => match session.take(event, processes) {
                    Some(Conclusion::Ended(end)) => {
                        Self::show(&mut session, processes, watch);
                        return Answer::Ended(end);
                    }
                    Some(Conclusion::Interrupted) => return Answer::Interrupted,
                    None => session.tick(processes),
                },
                None => session.tick(processes),
            }
        }
    }
}

fn unavailable(missing: MissingAgent) -> Box<TurnOutcome> {
    let failure =
        AgentFailure::new(AgentFailureKind::Unavailable, missing.message).hint(missing.hint);
    Box::new(TurnOutcome::new(Err(failure), Usage::default()))
}
