//! The facade: everything that a front end can ask for.
//!
//! Owns [`Engine`], the one handle that front ends hold. Each thing that can be asked for has a
//! request type, a report type and one method, in the file that is named after it. A method takes
//! plain data and returns plain data, so that the command line, the browser and an agent get the
//! same answer. Never prints, never parses argv, never calls back into a front end except through an
//! observer.

#[cfg(test)]
mod tests;
mod actor;
mod address;
mod agent;
mod budget;
mod cast;
mod cast_show;
mod cast_status;
mod casts;
mod choice;
mod complete;
mod context;
mod definition;
mod demo;
mod doctor;
mod explain;
mod export;
mod follow_cast;
mod grid;
mod host;
mod import;
mod init;
mod inspect;
mod live;
mod loadout;
mod message;
mod needs;
mod own_command;
mod plan;
mod quest;
mod receive;
mod recipe;
mod role;
mod run;
mod session;
mod skill;
mod spawn;
mod supervise;
mod tool;
mod top;
mod trust;
mod utility;
mod validate;
mod wait;
mod watch;
mod web;

pub use actor::{ActorEvent, ActorObserver, ActorStatus, SpawnAgentRequest, TranscriptReport};
pub use address::Audience;
pub use agent::{
    AgentListItem, AgentListReport, AgentListRequest, AgentObserver, AgentOptions, AgentOutcome,
    AgentPrompt, AgentReport, AgentRequest, AgentSelection,
};
pub use budget::{BudgetChange, BudgetReport, CastBudgetRequest, RaiseOutcome, TokenLimit};
pub use cast::{
    Activity, CastObserver, CastOptions, CastReport, CastRequest, ForkReport, ForkRequest,
    LinkRequest, ResumeAction, ResumeRequest,
};
pub use cast_show::{
    ArtifactReport, ArtifactRequest, CastEventRecord, CastParts, CastShowReport, CastShowRequest,
    CastStep, CastUsage, StepOutcome, UsageSum,
};
pub use cast_status::{
    BudgetShare, BudgetUnit, CastStatusReport, CastStatusRequest, SocketProgress,
};
pub use casts::{
    CastListItem, CastListReport, CastListRequest, CastPosition, CastProblem, ItemAt,
    ObservedStatus, UsageSummary,
};
pub use choice::AgentChoice;
pub use complete::{Completion, CompletionKind, MAX_COMPLETIONS};
pub use context::{Caller, Engine, Environment};
pub use definition::{
    CheckReport, CheckRequest, ConfigFile, DefinitionsReport, EditTarget, LoadoutDefinition,
    MateriaDefinition, SaveConflict, SaveEdit, SaveReport, SaveRequest, Section, TrialReport,
    TrialRequest,
};
pub use demo::{DemoObserver, DemoOpening, DemoReport, DemoRequest};
pub use doctor::{
    CheckHealth, DoctorAgent, DoctorCheck, DoctorReport, DoctorRequest, ExistingState, StatePaths,
};
pub use explain::ExplainReport;
pub use export::{CastExport, CastExportRequest, ExportReport};
pub use follow_cast::{
    ActivityReport, CastFollower, CastStateReport, CastUpdate, FollowCastRequest,
};
pub use grid::{GridFormat, GridReport, GridRequest};
pub use host::{HostGuard, HostSocket};
pub use import::{ImportReport, ImportRequest, ImportSource, ImportedRecipe};
pub use init::InitReport;
pub use inspect::{
    Attention, CastOfRun, CommunicationReport, ContactsReport, FilesReport, FollowedMessage,
    InspectObserver, InspectReport, InspectRequest, Inventory, MailboxReport, OutboxReport,
    OutputChunk, OutputTail, Preview, PreviewsReport, QueuedMessage, RecipeStatusReport,
    RoomRoster, RoomStatusReport, RoomTimeline, RunListItem, RunOutput, RunOverviewReport,
    RunSnapshot, RunStatusReport, RuntimeReport, Stream, TailReport, TriageReport,
};
pub use live::{DirectoryWatch, LiveReport};
pub use loadout::{
    ActiveLoadoutReport, ActiveLoadoutRequest, ActiveReach, LoadoutSummary, LoadoutsReport,
    LoadoutsRequest, ValidateLoadoutsRequest,
};
pub use message::{MessageDraft, MessageProblem, MessageReport, MessageRequest};
pub use needs::NeedsReport;
pub use own_command::{OwnCommandReport, OwnCommandRequest};
pub use plan::{PlanEstimate, PlanRange, PlanReport, PlanRequest, PlanSocket};
pub use quest::{
    QuestAction, QuestListReport, QuestListRequest, QuestObserver, QuestPosition, QuestReport,
    QuestRequest, QuestRunOptions, QuestRunReport, QuestRunRequest,
};
pub use receive::{
    ClaimedMessage, ReceiveObserver, ReceiveReport, ReceiveRequest, SettleReport, SettleRequest,
};
pub use recipe::{
    Imported, Imports, LibraryReport, RecipeDoctorReport, RecipeListReport, RecipeReport,
    RecipeState, ToolReport,
};
pub use role::RoleReport;
pub use run::{
    Branch, BranchStatus, ChildId, CommandRun, Coverage, ExecutionStatus, FailedCommand,
    OutputMode, OutputStream, RunObserver, RunProgress, RunReport, RunRequest,
};
pub use session::session_id;
pub use skill::{SKILL_AGENTS, SkillInstallReport, SkillInstallRequest, SkillReport};
pub use spawn::{RunOptions, SpawnReport, SpawnRequest};
#[cfg(feature = "testing")]
pub use supervise::arm_failpoint;
pub use supervise::{is_supervisor, supervise};
pub use tool::{
    DraftListReport, PromoteToolRequest, RegisterToolRequest, ToolCallReport, ToolCallRequest,
    ToolChangeReport, ToolDefinition, ToolListReport, ToolWatcher,
};
pub use top::{
    RunProcess, TopDetail, TopMessage, TopReport, TopRequest, TopSide, TopSubject, TopWake,
    TopWatch,
};
pub use trust::{
    TrustAnswer, TrustListReport, TrustObserver, TrustReport, TrustRevokeReport, TrustStanding,
    TrustedAct,
};
pub use utility::{
    RecipeStep, StepEntry, UtilityEntry, UtilityListReport, UtilityObserver, UtilityOutput,
    UtilityRequest, UtilityRunReport,
};
pub use validate::{ValidateReport, ValidateRequest, ValidatedFile};
pub use wait::{WaitObserver, WaitReport, WaitRequest};
pub use watch::{News, NewsEvent, WatchEnd, WatchObserver, WatchRequest};
pub use web::{AboutReport, WebAccess};

pub use crate::clock::{Clock, Stopwatch};
pub use crate::error::{
    ApiError, ConflictReport, ERROR_TABLE, ErrorBody, ErrorCodes, ErrorKind, ErrorReport,
    ImportFailure, SaveFailure,
};
pub use crate::inspect::LINES as INSPECT_LINES;
pub use crate::process::Cancellation;
pub use crate::recipe::{InputSource, TemplateRequest, TemplateSource, TemplateValues};
