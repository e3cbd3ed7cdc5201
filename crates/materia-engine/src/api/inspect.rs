//! `inspect`: what there is to know about runs, sessions, recipes, tools and this program.

use std::path::PathBuf;

use materia_model::name::RunId;
use materia_model::run::RunStatus;
use materia_model::{template, text};

use super::{ApiError, Audience, Caller, DoctorRequest, Engine, ErrorKind};
use crate::inspect::follow::{self, FollowedView};
use crate::inspect::{self, InspectTarget, LINES, StatusFilter, mail, overview, triage};
use crate::recipe::{self, NotResolved, tool};
use crate::routing::watch;
use crate::run::{RunDir, RunLog, RunRoot};

pub use crate::inspect::follow::{FollowedMessage, InspectObserver};
pub use crate::inspect::mail::{CommunicationReport, MailboxReport, OutboxReport, QueuedMessage};
pub use crate::inspect::overview::RunOverviewReport;
pub use crate::inspect::report::InspectReport;
pub use crate::inspect::room::{
    ContactsReport, Preview, PreviewsReport, RoomRoster, RoomStatusReport, RoomTimeline,
};
pub use crate::inspect::run_status::{CastOfRun, RunSnapshot};
pub use crate::inspect::triage::{Attention, TriageReport};
pub use crate::inspect::{
    FilesReport, Inventory, RecipeStatusReport, RunStatusReport, RuntimeReport, TailReport,
};
pub use crate::process::Stream;
pub use crate::run::{OutputChunk, OutputTail, RunListItem, RunOutput};

/// What is looked at, and how much of it is shown.
#[derive(Debug, Clone, Default)]
pub struct InspectRequest {
    /// `run:ID`, `room:ID`, `branch:ID/NAME`, `coordinator`, `session:S`, `session:all`, `recipes`,
    /// `tool:NAME` or `tool:materia`.
    pub target: String,
    /// Which view of it; the first where there is none.
    pub view: Option<String>,
    /// How many lines, messages, members or runs.
    pub lines: Option<usize>,
    /// Which runs of an inventory: all, active, terminal or a status.
    pub status: Option<String>,
    /// The session that asks.
    pub session: Option<String>,
    /// For whom the answer is.
    pub audience: Audience,
}

/// A request whose words were understood.
struct Resolved {
    root: RunRoot,
    caller: Caller,
    target: InspectTarget,
    view: &'static str,
    filter: StatusFilter,
}

impl Engine {
    /// Looks at something.
    pub fn inspect(&self, request: &InspectRequest) -> Result<InspectReport, ApiError> {
        let resolved = self.resolve(request)?;
        let all = request.audience == Audience::Program;
        let lines = request
            .lines
            .unwrap_or(if all { usize::MAX } else { LINES });
        self.look(&resolved, request, lines)
    }

    /// Looks at a tail, messages or previews, and passes on what comes until the run is over.
    pub fn follow(
        &self,
        request: &InspectRequest,
        observer: &mut dyn InspectObserver,
    ) -> Result<(), ApiError> {
        let resolved = self.resolve(request)?;
        resolved.target.follow(resolved.view)?;
        let (InspectTarget::Run(id) | InspectTarget::Room(id)) = &resolved.target else {
            return Ok(());
        };
        let (place, log) = self.open(&resolved, id)?;
        let clock = self.clock();
        let lines = request.lines.unwrap_or(LINES);
        let report = match &resolved.target {
            InspectTarget::Run(_) => {
                InspectReport::of_run(&place, &log, resolved.view, request.lines, lines)?
            }
            _ => InspectReport::of_room(&place, &log, resolved.view, lines),
        };
        let followed = match &report {
            InspectReport::Tail(tail) => {
                return Ok(follow::follow_output(
                    &place, &tail.tail, log, clock, observer,
                )?);
            }
            InspectReport::Timeline(_) => FollowedView::Room,
            InspectReport::Previews(_) => FollowedView::Previews,
            _ => FollowedView::Outbox,
        };
        observer.begin(&report);
        Ok(follow::follow_messages(
            &place, followed, log, clock, observer,
        )?)
    }

    /// Everything about one run but what it writes.
    pub fn run_overview(&self, run: &str, lines: usize) -> Result<RunOverviewReport, ApiError> {
        let caller = self.caller(None)?;
        let caller = caller.session.as_deref();
        let (place, log) = inspect::open(&self.runs()?, &run.parse()?, caller, self.clock())?;
        Ok(overview::overview(&place, &log, lines))
    }

    /// What a run writes, from a position in its stdout and its stderr on.
    pub fn run_output(&self, run: &str, from: [Option<u64>; 2]) -> Result<RunOutput, ApiError> {
        let caller = self.caller(None)?;
        let caller = caller.session.as_deref();
        let (place, _) = inspect::open(&self.runs()?, &run.parse()?, caller, self.clock())?;
        RunOutput::open(place, from)
            .map_err(|error| ApiError::from_error(ErrorKind::Failed, "no_watch", &error))
    }

    /// All runs that the caller may see, and the directories whose changes may change that.
    pub fn live_runs(&self) -> Result<(Inventory, Vec<PathBuf>), ApiError> {
        let (root, caller) = (self.runs()?, self.caller(None)?);
        let caller = caller.session.as_deref();
        let runs = inspect::inventory(&root, None, caller, StatusFilter::default(), self.clock())?;
        let starting = runs.runs.iter();
        let starting = starting.filter(|run| run.status == RunStatus::Starting);
        let mut directories: Vec<PathBuf> =
            starting.map(|run| root.path().join(&run.run)).collect();
        directories.extend(watch::bells(&root));
        Ok((runs, directories))
    }

    fn resolve(&self, request: &InspectRequest) -> Result<Resolved, ApiError> {
        let filter = request.status.as_deref().map(StatusFilter::parse);
        let filter = filter.transpose()?.unwrap_or_default();
        let caller = self.caller(request.session.as_deref())?;
        let root = self.runs()?;
        let target = self.whole_address(&root, &caller, &request.target, request.audience)?;
        let target = InspectTarget::parse(&target)?;
        Ok(Resolved {
            view: target.view(request.view.as_deref())?,
            root,
            caller,
            target,
            filter,
        })
    }

    fn look(
        &self,
        resolved: &Resolved,
        request: &InspectRequest,
        lines: usize,
    ) -> Result<InspectReport, ApiError> {
        let Resolved {
            root, target, view, ..
        } = resolved;
        let caller = resolved.caller.session.as_deref();
        let inventory = |session| {
            let all = inspect::inventory(root, session, caller, resolved.filter, self.clock())?;
            let shown = if lines == usize::MAX {
                all
            } else {
                all.first(lines)
            };
            Ok(InspectReport::Inventory(shown))
        };
        match target {
            InspectTarget::Run(id) => {
                let (place, log) = self.open(resolved, id)?;
                let report = InspectReport::of_run(&place, &log, view, request.lines, lines)?;
                whole_for_programs(report, &place, request.audience)
            }
            InspectTarget::Room(id) => {
                let (place, log) = self.open(resolved, id)?;
                Ok(InspectReport::of_room(&place, &log, view, lines))
            }
            InspectTarget::Branch(id, branch) => {
                let (place, log) = self.open(resolved, id)?;
                let queue = mail::mailbox(id, Some(branch), &log.fold().mail, lines);
                whole_for_programs(InspectReport::Mailbox(queue), &place, request.audience)
            }
            InspectTarget::Coordinator => inventory(caller),
            InspectTarget::Session(session) => inventory(Some(session)),
            InspectTarget::AllSessions => inventory(None),
            InspectTarget::Program => self.program_report(resolved),
            InspectTarget::Tool(name) => self.tool_report(name, view),
            InspectTarget::Recipes => self.recipes_report(view),
        }
    }

    fn open(&self, resolved: &Resolved, id: &RunId) -> Result<(RunDir, RunLog), ApiError> {
        let caller = resolved.caller.session.as_deref();
        Ok(inspect::open(&resolved.root, id, caller, self.clock())?)
    }

    fn program_report(&self, resolved: &Resolved) -> Result<InspectReport, ApiError> {
        let (home, library) = (self.home()?, self.library()?);
        Ok(match resolved.view {
            "triage" => {
                let caller = resolved.caller.session.as_deref();
                let triage = triage::triage(&resolved.root, &home, &library, caller, self.clock())?;
                InspectReport::Triage(Box::new(triage))
            }
            "doctor" => InspectReport::Doctor(Box::new(self.doctor(&DoctorRequest::default())?)),
            _ => InspectReport::Runtime(inspect::runtime(&home)),
        })
    }

    fn tool_report(&self, name: &str, view: &str) -> Result<InspectReport, ApiError> {
        let (library, cwd) = (self.library()?, self.cwd_or_root());
        let Some(located) = tool::find(&library, name, cwd) else {
            let message = format!("there is no tool {}", text::quoted(name));
            return Err(
                ApiError::new(ErrorKind::NotFound, "tool_not_found", message)
                    .hint(tool::hint_for_missing(&library, name)),
            );
        };
        if view == "schema" {
            let linked = library.link(&located).map_err(NotResolved::Invalid)?;
            return Ok(InspectReport::Schema(template::schema(
                linked.template.args(),
            )));
        }
        let shown = recipe::show(&library, &self.home()?, name, cwd)?;
        Ok(InspectReport::Recipe(Box::new(shown)))
    }

    fn recipes_report(&self, view: &str) -> Result<InspectReport, ApiError> {
        let library = self.library()?;
        Ok(match view {
            "doctor" => InspectReport::RecipeDoctor(recipe::doctor(&library, &self.home()?)),
            "imports" => InspectReport::RecipeImports(recipe::imports(&library)),
            "list" => InspectReport::RecipeList(recipe::list(&library)),
            _ => InspectReport::Recipes(inspect::recipes(&library)),
        })
    }
}

/// A queue has its messages whole for programs.
fn whole_for_programs(
    report: InspectReport,
    place: &RunDir,
    audience: Audience,
) -> Result<InspectReport, ApiError> {
    match audience {
        Audience::Program => Ok(report.with_whole_messages(place)?),
        Audience::Person => Ok(report),
    }
}
