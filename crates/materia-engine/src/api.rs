//! The facade: everything that a front end can ask for.
//!
//! Owns [`Engine`], the one handle that front ends hold, and [`ApiError`], the one error that they
//! render. Each thing that can be asked for has a request type, a report type and one method, in
//! the file that is named after it. A method takes plain data and returns plain data, so that the
//! command line, the browser and an agent get the same answer. Never prints, never parses argv,
//! never calls back into a front end except through an observer.

mod budget;
mod cast_show;
mod cast_status;
mod casts;
mod choice;
mod context;
mod definition;
mod doctor;
mod error;
mod export;
mod follow_cast;
mod grid;
mod init;
mod live;
mod loadout;
mod own_command;
mod plan;
mod skill;
mod spawn;
mod supervise;
mod top;
mod trust;
mod validate;
mod web;

pub use budget::{BudgetChange, BudgetReport, CastBudgetRequest, RaiseOutcome, TokenLimit};
pub use cast_show::{
    ArtifactReport, ArtifactRequest, CastEventRecord, CastParts, CastShowReport, CastShowRequest,
    CastStep, CastUsage, StepOutcome, UsageSum,
};
pub use cast_status::{
    BudgetShare, BudgetUnit, CastStatusReport, CastStatusRequest, SocketProgress,
};
pub use casts::{
    CastListItem, CastListReport, CastListRequest, CastPosition, CastProblem, ItemAt,
    ObservedStatus, Spent,
};
pub use choice::AgentChoice;
pub use context::{Caller, Engine, Environment};
pub use definition::{
    CheckReport, CheckRequest, ConfigFile, ConflictReport, DefinitionsReport, LoadoutDefinition,
    MateriaDefinition, SaveConflict, SaveEdit, SaveFailure, SaveReport, SaveRequest, Section,
    Target, TrialReport, TrialRequest,
};
pub use doctor::{
    CheckHealth, DoctorAgent, DoctorCheck, DoctorReport, DoctorRequest, ExistingState, StatePaths,
};
pub use error::{ApiError, ErrorBody, ErrorCodes, ErrorKind, ErrorReport, TABLE};
pub use export::{CastExport, CastExportRequest, ExportReport};
pub use follow_cast::{
    ActivityReport, CastFollower, CastStateReport, CastUpdate, FollowCastRequest,
};
pub use grid::{GridFormat, GridReport, GridRequest};
pub use init::InitReport;
pub use live::{DirectoryWatch, LiveReport, NeedsReport};
pub use loadout::{
    ActiveLoadoutReport, ActiveLoadoutRequest, ActiveReach, LoadoutSummary, LoadoutsReport,
    LoadoutsRequest, ValidateLoadoutsRequest,
};
pub use own_command::{OwnCommandReport, OwnCommandRequest};
pub use plan::{PlanEstimate, PlanRange, PlanReport, PlanRequest, PlanSocket};
pub use skill::{SKILL_AGENTS, SkillInstallReport, SkillInstallRequest, SkillReport};
pub use spawn::{RunOptions, SpawnReport};
#[cfg(feature = "testing")]
pub use supervise::arm_failpoint;
pub use supervise::{is_supervisor, supervise};
pub use top::{
    RunListItem, RunProcess, TopDetail, TopMessage, TopReport, TopRequest, TopSide, TopSubject,
    TopWake, TopWatch,
};
pub use trust::{
    TrustAnswer, TrustListReport, TrustObserver, TrustReport, TrustRevokeReport, TrustStanding,
    TrustedAct,
};
pub use validate::{ValidateReport, ValidateRequest, ValidatedFile};
pub use web::{AboutReport, WebAccess};

pub use crate::clock::{Clock, Stopwatch};
pub use crate::process::Cancellation;
