//! The facade: everything that a front end can ask for.
//!
//! Owns [`Engine`], the one handle that front ends hold, and [`ApiError`], the one error that they
//! render. Each thing that can be asked for has a request type, a report type and one method, in
//! the file that is named after it. A method takes plain data and returns plain data, so that the
//! command line, the browser and an agent get the same answer. Never prints, never parses argv,
//! never calls back into a front end except through an observer.

mod choice;
mod complete;
mod context;
mod error;
mod explain;
mod import;
mod init;
mod recipe;
mod run;
mod spawn;
mod tool;
mod utility;

pub use crate::clock::Stopwatch;
pub use crate::recipe::{InputSource, TemplateRequest, TemplateSource, TemplateValues};
pub use choice::AgentChoice;
pub use complete::{Completion, CompletionKind, MAX_COMPLETIONS};
pub use context::{Caller, Engine, Environment};
pub use error::{ApiError, ErrorBody, ErrorCodes, ErrorKind, ErrorReport, TABLE};
pub use explain::ExplainReport;
pub use import::{ImportFailure, ImportReport, ImportRequest, ImportSource, ImportedRecipe};
pub use init::InitReport;
pub use recipe::{
    Imported, Imports, LibraryReport, RecipeDoctorReport, RecipeListReport, RecipeReport,
    RecipeState, ToolReport,
};
pub use run::{
    Branch, BranchStatus, CommandRun, Coverage, ExecutionStatus, FailedCommand, LeafId, OutputMode,
    OutputStream, RunObserver, RunProgress, RunReport, RunRequest,
};
pub use spawn::{RunOptions, SpawnReport, SpawnRequest};
pub use tool::{
    DraftListReport, PromoteToolRequest, RegisterToolRequest, ToolCallReport, ToolCallRequest,
    ToolChangeReport, ToolListReport,
};
pub use utility::{
    RecipeStep, StepEntry, UtilityEntry, UtilityListReport, UtilityObserver, UtilityOutput,
    UtilityRequest, UtilityRunReport,
};
