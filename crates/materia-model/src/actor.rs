//! An agent as an actor: the turns that its run's journal records, and the state they fold into
//! (A12).
//!
//! Owns the records of turns and their fold: the number of turns, their usage, the session to
//! continue, and the last lines of the conversation. A message becomes a turn; a message that
//! arrives during a turn may be read in it. The end of a turn names every message that it answers,
//! so that a process that resumes the run knows what is left to do: a message with an end is never
//! asked again, one without is asked from the session before it. Names no agent, sends no message.

mod event;
mod state;

pub use event::{
    ActorMessageSeen, ActorSettings, ActorTurnEnd, ActorTurnStart, ActorTurnUsage, LONGEST_TEXT,
    TURN_END, TURN_HEARD, TURN_START, TURN_USAGE,
};
pub use state::{ActorSession, ActorState, MOST_LINES, TranscriptLine, TranscriptRole};

#[cfg(test)]
mod tests;
