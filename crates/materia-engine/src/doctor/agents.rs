//! Tests processes: adopts and ends an orphan, and asks every agent for its version.

use std::time::Duration;

use materia_model::text;

use super::{DoctorAgent, DoctorCheck, Interrupted};
use crate::agent::{KNOWN, Program, version_in};
use crate::clock::Stopwatch;
use crate::process::{
    Cause, Command, Event, ProcessEnd, ProcessIdentity, ProcessSet, StopReason, find_program,
};

/// How long a program may take to print its version.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);
const GRACE: Duration = Duration::from_secs(1);

/// Whether no process can escape us here, and which agents there are.
pub(super) fn look() -> Result<(DoctorCheck, Vec<DoctorAgent>), Interrupted> {
    let (mut nursery, refused) = match ProcessSet::adopting() {
        Ok(nursery) => (nursery, None),
        Err(error) => {
            let detail = format!("this process cannot adopt orphans: {error}");
            let hint = "use Linux 5.4 or newer with /proc mounted";
            (
                ProcessSet::new(),
                Some(DoctorCheck::broken("processes", "P3", detail, hint)),
            )
        }
    };
    // An agent that does not answer must not outlive an interrupt. If interrupts cannot be caught,
    // they end this process.
    let _uncaught = nursery.catch_interrupts();
    let check = refused.unwrap_or_else(|| orphan_check(&mut nursery));
    Ok((check, versions(&mut nursery)?))
}

/// Starts a process that leaves a child behind, and ends that child.
fn orphan_check(nursery: &mut ProcessSet) -> DoctorCheck {
    let check = |result: Result<String, String>| match result {
        Ok(detail) => DoctorCheck::good("processes", "P3", detail),
        Err(detail) => DoctorCheck::broken(
            "processes",
            "P3",
            detail,
            "is /proc mounted, and may we signal our children?",
        ),
    };
    let mut command = Command::new(["sh", "-c", "sleep 60 >/dev/null 2>&1 & echo $!"]);
    command.deadline = Some(ANSWER_TIMEOUT);
    let ended = nursery.run(command);
    let printed = String::from_utf8_lossy(&ended.stdout.bytes)
        .trim()
        .to_owned();
    let Ok(pid) = printed.parse() else {
        return check(Err(format!("no orphan could be made: {}", why(&ended))));
    };
    let Some(orphan) = ProcessIdentity::of(pid) else {
        return check(Err(format!(
            "process {pid} was started and cannot be seen in /proc"
        )));
    };
    nursery.sweep(GRACE);
    check(if orphan.is_alive() {
        Err(format!("process {pid} escaped"))
    } else {
        Ok("an orphan was adopted and ended".to_owned())
    })
}

/// Asks all agents at once.
fn versions(nursery: &mut ProcessSet) -> Result<Vec<DoctorAgent>, Interrupted> {
    let (mut asked, mut interrupted) = (Vec::new(), false);
    for program in KNOWN {
        let path = find_program(program.command);
        let leaf = path.is_some().then(|| nursery.spawn(question(program)));
        asked.push((program, path, leaf, None));
    }
    // Read queued events, such as an interrupt during the previous check, even if nothing runs.
    while let Some(event) = nursery.next(nursery.is_idle().then(|| Stopwatch::start().started())) {
        match event {
            Event::Ended(ended) => {
                let whose = asked
                    .iter_mut()
                    .find(|(_, _, leaf, _)| *leaf == Some(ended.leaf));
                if let Some((_, _, _, answer)) = whose {
                    *answer = Some(*ended);
                }
            }
            Event::Interrupt(_) => {
                let grace = if interrupted { Duration::ZERO } else { GRACE };
                interrupted = true;
                nursery
                    .running()
                    .collect::<Vec<_>>()
                    .into_iter()
                    .for_each(|leaf| {
                        nursery.stop(leaf, StopReason::Within(grace));
                    });
            }
            Event::Output { .. } | Event::Readable(_) | Event::Woken => {}
        }
    }
    nursery.sweep(GRACE);
    if interrupted {
        return Err(Interrupted);
    }
    let found = asked.into_iter().map(|(program, path, _, answer)| {
        let path = path.map(|path| path.display().to_string());
        let (version, problem) = answer.map_or((None, None), |ended| read(&ended));
        DoctorAgent {
            name: program.name,
            command: program.command,
            path,
            version,
            problem,
        }
    });
    Ok(found.collect())
}

fn question(program: Program) -> Command {
    let mut command =
        Command::new(std::iter::once(program.command).chain(program.version.iter().copied()));
    command.deadline = Some(ANSWER_TIMEOUT);
    command.grace = GRACE;
    command
}

fn read(ended: &ProcessEnd) -> (Option<String>, Option<String>) {
    let printed = String::from_utf8_lossy(&ended.stdout.bytes);
    match version_in(&printed) {
        Some(version) if ended.success() => (Some(version.to_owned()), None),
        _ => (None, Some(why(ended))),
    }
}

fn why(ended: &ProcessEnd) -> String {
    let said = String::from_utf8_lossy(&ended.stderr.bytes);
    let said = said
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty())
        .unwrap_or("it said nothing");
    match &ended.cause {
        Cause::NotStarted(error) => error.to_string(),
        Cause::TimedOut(_) => format!("no answer in {} s", ANSWER_TIMEOUT.as_secs()),
        Cause::Finished(_) | Cause::Cancelled(_) => {
            format!("exit code {}: {}", ended.code(), text::bounded(said, 200))
        }
    }
}
