//! The facade: everything that a front end can ask for.
//!
//! Owns [`Engine`], the one handle that front ends hold, and [`ApiError`], the one error that they
//! render. Each thing that can be asked for has a request type, a report type and one method, in
//! the file that is named after it. A method takes plain data and returns plain data, so that the
//! command line, the browser and an agent get the same answer. Never prints, never parses argv,
//! never calls back into a front end except through an observer.

mod cast;
mod choice;
mod context;
mod demo;
mod error;
mod init;
mod needs;
mod quest;
mod spawn;
mod trust;

pub use crate::clock::Stopwatch;
pub use cast::{
    Activity, CastObserver, CastOptions, CastReport, CastRequest, ForkReport, ForkRequest,
    LinkRequest, ResumeAction, ResumeRequest,
};
pub use choice::AgentChoice;
pub use context::{Caller, Engine, Environment};
pub use demo::{DemoObserver, DemoOpening, DemoReport, DemoRequest};
pub use error::{ApiError, ErrorBody, ErrorCodes, ErrorKind, ErrorReport, TABLE};
pub use init::InitReport;
pub use needs::{Attention, NeedsReport};
pub use quest::{
    QuestAction, QuestListReport, QuestListRequest, QuestObserver, QuestPosition, QuestReport,
    QuestRequest, QuestRunOptions, QuestRunReport, QuestRunRequest,
};
pub use spawn::{RunOptions, SpawnReport};
pub use trust::{
    TrustAnswer, TrustListReport, TrustObserver, TrustReport, TrustRevokeReport, TrustStanding,
    TrustedAct,
};
