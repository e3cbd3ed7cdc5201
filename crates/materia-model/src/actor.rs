//! An agent as an actor: its turns, as the journal of its run tells them, and what they add up to
//! (A12).
//!
//! Owns the records of turns and their fold: how often it was asked, what that used, which session
//! goes on, and the last lines of what was said. A message becomes a turn; a message that comes
//! meanwhile may be heard in it. The end of a turn names every message that it answers, so that
//! whoever takes the run up again knows what is left to do: a message with an end is never asked
//! again, one without is asked from the session before it. Names no agent, posts nothing.

mod event;
mod state;

pub use event::{
    ActorMessageSeen, ActorSettings, ActorTurnEnd, ActorTurnStart, ActorTurnUsage, LONGEST_TEXT,
    TURN_END, TURN_HEARD, TURN_START, TURN_USAGE,
};
pub use state::{ActorSession, ActorState, MOST_LINES, TranscriptLine, TranscriptRole};

#[cfg(test)]
mod tests;
