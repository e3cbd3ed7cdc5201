//! Performs the kernel's effects: a turn of an agent, a run of a utility.
//!
//! Owns the order inside a visit: store the input, record and flush the dispatch, do the work,
//! store its output, record its result. Returns false if the user interrupted and no result was
//! recorded.

use std::time::Duration;

use materia_model::cast::event::VisitId;
use materia_model::cast::{AgentEffect, CastEventBody, UtilityEffect};
use materia_model::materia::{self, UtilityProgram};

use super::context::CastContext;
use super::driver::Driver;
use super::error::Error;
use super::order;
use super::watch::CastTurnWatcher;
use crate::agent::{AgentMemory, AgentTurn, Answer, DEFAULT_TIMEOUT};
use crate::utility::call::{Call, Called, call};
use crate::utility::{find, native, recipe, template};

impl Driver<'_> {
    /// Runs a turn of an agent.
    pub(super) fn ask(&mut self, ask: &AgentEffect) -> Result<bool, Error> {
        let (place, attempt) = (&ask.visit.place, ask.visit.attempt);
        self.ready()?;
        if self.waited(ask.visit.delay_ms) {
            return Ok(false);
        }
        let prompt = self.dispatch(place, attempt, "prompt.md", ask.prompt.as_bytes())?;
        let materia = self.kernel.graph().socket(ask.slot).materia.clone();
        let (Some(agent), Some(role)) = (&mut self.context.agent, materia.agent()) else {
            return Err(Error::OutOfStep);
        };
        let sessions = if role.multi_turn {
            Some(self.folder.sessions()?)
        } else {
            None
        };
        let state = self.log.state();
        let memory = sessions
            .as_deref()
            .map_or(AgentMemory::None, |folder| AgentMemory::Kept {
                folder,
                from: state.conversation.session.as_deref(),
            });
        let turn = AgentTurn {
            socket: &place.socket,
            materia: &materia.id,
            item: place.item_key.as_deref(),
            kind: ask.visit.turn,
            prompt: &ask.prompt,
            system: None,
            tools: &role.tools,
            model: role.model.as_deref(),
            thinking: role.thinking.as_deref(),
            agent: role.agent.as_deref(),
            memory,
            timeout: role
                .timeout_ms
                .map_or(DEFAULT_TIMEOUT, Duration::from_millis),
            cwd: &self.context.cwd,
        };
        let (kernel, folder) = (&self.kernel, &self.folder);
        let raised = || {
            let mut raised = state.raised.clone();
            for (_, ordered) in order::pending(folder) {
                if let CastEventBody::BudgetRaised(raise) = &ordered {
                    raised.add(raise);
                }
            }
            kernel.limit_raised(&raised)
        };
        let mut watcher = CastTurnWatcher::new(
            folder,
            place,
            &prompt,
            &raised,
            &state.spending,
            self.context.observer,
        );
        let answer = agent.ask(&turn, self.context.processes, &mut watcher);
        watcher.finish();
        let end = match answer {
            Answer::Ended(end) => end,
            Answer::Interrupted => return Ok(false),
        };
        // Log the limits of the turn before its usage.
        self.take_orders()?;
        let output = match &end.reply {
            Ok(text) => Some(
                self.folder
                    .keep(place, attempt, "output.md", text.as_bytes())?,
            ),
            Err(_) => None,
        };
        let bodies = self.kernel.asked(self.log.state(), &end, output);
        let payloads = bodies.iter().filter_map(|body| match body {
            CastEventBody::SocketComplete(complete) => complete.payload.as_ref(),
            _ => None,
        });
        for payload in payloads {
            self.folder.keep(
                place,
                attempt,
                "output.json",
                &serde_json::to_vec_pretty(payload)?,
            )?;
        }
        self.conclude(bodies)
    }

    /// Runs a utility.
    pub(super) fn run(&mut self, run: &UtilityEffect) -> Result<bool, Error> {
        let (place, attempt) = (&run.visit.place, run.visit.attempt);
        let materia = self.kernel.graph().socket(run.slot).materia.clone();
        let whole = self.kernel.input(self.log.state());
        let (Some(utility), Some(whole)) = (materia.utility(), whole) else {
            return Err(Error::OutOfStep);
        };
        let input = whole.line()?;
        let kept = self.inputs.kept(&whole, &input, &self.folder)?;
        self.dispatch(place, attempt, "input.json", &kept)?;
        let mut called = self.call(utility, input)?;
        let keep = |kind: &str, bytes: &[u8]| self.folder.keep(place, attempt, kind, bytes);
        called.ended.stdout_artifact = keep("stdout.txt", &called.stdout)?;
        called.ended.stderr_artifact = keep("stderr.txt", &called.stderr)?;
        keep("command.json", &serde_json::to_vec_pretty(&called.ended)?)?;
        if called.interrupted {
            return Ok(false);
        }
        let (stdout, stderr) = (
            String::from_utf8_lossy(&called.stdout),
            String::from_utf8_lossy(&called.stderr),
        );
        let output = Some(called.ended.stdout_artifact.clone());
        let bodies = self
            .kernel
            .ran(self.log.state(), &called.ended, &stdout, &stderr, output);
        self.conclude(bodies)
    }

    /// Calls the program of a utility. Programs that cannot be called were refused at the start.
    fn call(&mut self, utility: &UtilityProgram, input: String) -> Result<Called, Error> {
        let (spool, timeout_ms) = (self.folder.path(), utility.timeout_ms);
        let CastContext {
            cwd,
            home,
            library,
            processes,
            ..
        } = &mut self.context;
        let stages = spool.join("stages");
        let place = template::TemplateContext {
            cwd,
            home: home.as_deref(),
            stages: Some(&stages),
        };
        match &utility.run {
            materia::UtilityCommand::Command(argv) => Ok(call(
                Call {
                    argv,
                    cwd,
                    input,
                    timeout_ms,
                    spool,
                },
                processes,
            )?),
            materia::UtilityCommand::Shipped(name) => match find(name) {
                Some(shipped) => Ok(native::call(shipped, &input, cwd, processes)),
                None => Err(Error::OutOfStep),
            },
            materia::UtilityCommand::Template(written) => {
                let plan = template::plan(written, &utility.params, place, timeout_ms)
                    .map_err(Error::Invalid)?;
                Ok(template::call(&plan, &input, cwd, spool, processes)?)
            }
            materia::UtilityCommand::Recipe(name) => {
                let Some(library) = library else {
                    return Err(Error::OutOfStep);
                };
                let plan = recipe::plan(library, name, &utility.params, place, timeout_ms);
                Ok(template::call(
                    &plan.map_err(Error::Invalid)?,
                    &input,
                    cwd,
                    spool,
                    processes,
                )?)
            }
        }
    }

    fn dispatch(
        &mut self,
        place: &VisitId,
        attempt: u64,
        kind: &str,
        bytes: &[u8],
    ) -> Result<String, Error> {
        let artifact = self.folder.keep(place, attempt, kind, bytes)?;
        let body = self
            .kernel
            .dispatched(self.log.state(), Some(artifact.clone()));
        self.record(body.ok_or(Error::OutOfStep)?)?;
        Ok(artifact)
    }

    fn conclude(&mut self, bodies: Vec<CastEventBody>) -> Result<bool, Error> {
        self.record_all(bodies)?;
        Ok(true)
    }

    /// Waits before an attempt; true if the user interrupted the wait.
    fn waited(&mut self, delay_ms: u64) -> bool {
        delay_ms > 0
            && self
                .context
                .processes
                .rest(Duration::from_millis(delay_ms))
                .is_some()
    }
}
