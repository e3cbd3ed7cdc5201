//! The facade: everything that a front end can ask for.
//!
//! Owns [`Engine`], the one handle that front ends hold, and [`ApiError`], the one error that they
//! render. Each thing that can be asked for has a request type, a report type and one method, in
//! the file that is named after it. A method takes plain data and returns plain data, so that the
//! command line, the browser and an agent get the same answer. Never prints, never parses argv,
//! never calls back into a front end except through an observer.

mod choice;
mod context;
mod definition;
mod doctor;
mod error;
mod grid;
mod init;
mod loadout;
mod plan;
mod skill;
mod spawn;
mod trust;
mod validate;
mod web;

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
pub use grid::{GridFormat, GridReport, GridRequest};
pub use init::InitReport;
pub use loadout::{
    ActiveLoadoutReport, ActiveLoadoutRequest, ActiveReach, LoadoutSummary, LoadoutsReport,
    LoadoutsRequest, ValidateLoadoutsRequest,
};
pub use plan::{PlanEstimate, PlanRange, PlanReport, PlanRequest, PlanSocket};
pub use skill::{SKILL_AGENTS, SkillInstallReport, SkillInstallRequest, SkillReport};
pub use spawn::{RunOptions, SpawnReport};
pub use trust::{
    TrustAnswer, TrustListReport, TrustObserver, TrustReport, TrustRevokeReport, TrustStanding,
    TrustedAct,
};
pub use validate::{ValidateReport, ValidateRequest, ValidatedFile};
pub use web::{AboutReport, WebAccess};
