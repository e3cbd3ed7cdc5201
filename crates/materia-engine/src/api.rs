//! The facade: everything that a front end can ask for.
//!
//! Owns [`Engine`], the one handle that front ends hold, and [`ApiError`], the one error that they
//! render. Each thing that can be asked for has a request type, a report type and one method, in
//! the file that is named after it. A method takes plain data and returns plain data, so that the
//! command line, the browser and an agent get the same answer. Never prints, never parses argv,
//! never calls back into a front end except through an observer.

mod address;
mod choice;
mod context;
mod error;
mod init;
mod inspect;
mod message;
mod receive;
mod wait;
mod watch;

pub use address::Audience;
pub use choice::AgentChoice;
pub use context::{Caller, Engine, Environment};
pub use error::{ApiError, ErrorBody, ErrorCodes, ErrorKind, ErrorReport, TABLE};
pub use init::InitReport;
pub use inspect::{
    Attention, Below, CastOfRun, CommunicationReport, ContactsReport, FilesReport, FollowedMessage,
    InspectObserver, InspectReport, InspectRequest, Inventory, Listed, MailboxReport, OutboxReport,
    OutputChunk, Preview, PreviewsReport, QueuedMessage, RecipeStatusReport, RoomRoster,
    RoomStatusReport, RoomTimeline, RunOutput, RunOverviewReport, RunStatus, RunStatusReport,
    RuntimeReport, Stream, Tail, TailReport, TranscriptReport, TriageReport,
};
pub use message::{Draft, MessageProblem, MessageReport, MessageRequest};
pub use receive::{
    Claimed, ReceiveObserver, ReceiveReport, ReceiveRequest, SettleReport, SettleRequest,
};
pub use wait::{WaitObserver, WaitReport, WaitRequest};
pub use watch::{News, NewsEvent, WatchEnd, WatchObserver, WatchRequest};

#[cfg(test)]
mod tests;

pub use crate::clock::Stopwatch;
pub use crate::process::Cancellation;
