//! The activity of a scripted turn: its tools, and its text piece by piece.

use std::time::Duration;

use materia_model::agent::{TurnOutcome, Usage};

use super::Reply;
use crate::agent::{Activity, TurnCommand, Watch};
use crate::clock;
use crate::process::{Event, ProcessSet};

/// The number of pieces of a reply.
const PIECES: usize = 16;
/// A shorter delay, in milliseconds, shows no activity.
const SHOWN: u64 = 100;

/// How a reply ended.
pub(super) enum ReplyResult {
    Done,
    Interrupted,
    Stopped(String),
}

/// Waits as long as the reply says, and shows its activity meanwhile.
pub(super) fn play(
    reply: &Reply,
    end: &TurnOutcome,
    processes: &mut ProcessSet,
    watch: &mut dyn Watch,
) -> ReplyResult {
    if reply.delay_ms < SHOWN {
        return waited(Duration::from_millis(reply.delay_ms), processes, watch);
    }
    let acts = acts(reply, end);
    let each = Duration::from_millis(reply.delay_ms) / u32::try_from(acts.len() + 1).unwrap_or(1);
    for act in acts {
        match waited(each, processes, watch) {
            // Ignore the watcher's command: the turn is about to end.
            ReplyResult::Done => drop(watch.see(&act)),
            other => return other,
        }
    }
    waited(each, processes, watch)
}

/// Waits. Ignores steering: a script only answers prompts.
fn waited(time: Duration, processes: &mut ProcessSet, watch: &mut dyn Watch) -> ReplyResult {
    if time.is_zero() {
        return ReplyResult::Done;
    }
    let deadline = clock::deadline_in(time);
    loop {
        match processes.next_among(None, watch.wakes(), deadline) {
            None => return ReplyResult::Done,
            Some(Event::Interrupt(_)) => return ReplyResult::Interrupted,
            Some(_) => {
                let stop = watch.woken().into_iter().find_map(|order| match order {
                    TurnCommand::Stop(why) => Some(why),
                    _ => None,
                });
                if let Some(why) = stop {
                    return ReplyResult::Stopped(why);
                }
            }
        }
    }
}

fn acts(reply: &Reply, end: &TurnOutcome) -> Vec<Activity> {
    let read = Usage {
        input: end.usage.input,
        total: end.usage.input,
        ..Usage::default()
    };
    let mut acts = vec![Activity::Usage { usage: read }];
    for tool in &reply.tools {
        acts.push(Activity::ToolStart {
            name: tool.name.clone(),
            input: tool.input.clone(),
        });
        acts.push(Activity::ToolEnd {
            name: tool.name.clone(),
            ok: tool.ok,
        });
    }
    let said = end.reply.as_deref().unwrap_or_default();
    acts.extend(pieces(said).map(|text| Activity::Text {
        text: text.to_owned(),
    }));
    acts.push(Activity::Usage { usage: end.usage });
    acts
}

/// Splits a text into a few pieces at character boundaries.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let length = text.len().div_ceil(PIECES).max(1);
    let mut rest = text;
    std::iter::from_fn(move || {
        let end = (length..=rest.len())
            .find(|at| rest.is_char_boundary(*at))
            .unwrap_or(rest.len());
        let (piece, behind) = rest.split_at(end);
        rest = behind;
        (!piece.is_empty()).then_some(piece)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_the_text() {
        for text in [
            "",
            "a",
            "größer als 16 Zeichen, viel größer: ääääääääääääääääääääää",
        ] {
            assert_eq!(pieces(text).collect::<String>(), text);
            assert!(pieces(text).count() <= PIECES + 1);
        }
    }
}
