//! Waiting for runs to end, without polling.
//!
//! Owns the wait. A supervisor wakes us when it has recorded the end, the kernel reports the exit
//! of the supervisor in any case, and the journal has the result of the run. The first look settles
//! a run whose supervisor is dead. Passes on the output of the runs if requested.

use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::time::{Duration, Instant};

use materia_model::run::{RunState, RunStatus};

use crate::clock::{self, Clock};
use crate::process::{Exits, Interrupts, ProcessIdentity};
use crate::run::snapshot::has_result;
use crate::run::{Error, RunDir, RunLog, check_owner, look, prove_again, supervisor};
use crate::store::journal::SharedJournal;
use crate::store::lock::{Lock, LockMode, LockWait};
use crate::store::stream::Growing;
use crate::wake::WaiterPipe;

/// How long to wait for the lock of a process whose exit the kernel cannot report to us.
const LOCK_WAIT: Duration = Duration::from_secs(1);

/// How many runs get a pipe each. With more runs than that, only the exits of their supervisors are
/// watched, which come a moment later.
const MAX_PIPES: usize = 64;

/// How many runs are followed at the same time.
const MAX_FOLLOWED: usize = 100;

/// How much earlier output is passed on at first: enough for the last line.
const FIRST_OUTPUT: u64 = 4096;

/// How long to wait for the exit of a supervisor that has recorded the end.
const EXIT_TIMEOUT: Duration = Duration::from_secs(2);

/// Which runs have to be over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Until {
    /// All of them.
    All,
    /// At least one.
    Any,
}

/// Options of a wait.
#[derive(Debug, Clone, Copy)]
pub struct WaitOptions<'a> {
    /// Which runs have to be over.
    pub until: Until,
    /// The longest time to wait.
    pub timeout: Option<Duration>,
    /// Whether to pass on the output of the runs.
    pub follow: bool,
    /// The session that has to own them; `None` for the operator.
    pub caller: Option<&'a str>,
}

/// An event of one of the runs, identified by its index.
#[derive(Debug)]
pub enum WaitEvent<'a> {
    /// Its commands wrote these bytes.
    Output(usize, &'a [u8]),
    /// It is over.
    Ended(usize, RunStatus),
}

/// The result of a wait, in the order of the runs.
#[derive(Debug)]
pub struct WaitOutcome {
    /// The status of each run.
    pub states: Vec<RunState>,
    /// Whether the timeout expired first.
    pub timed_out: bool,
    /// The supervisors of finished runs. They still have to sync the end, write the documents, and
    /// exit.
    supervisors: Vec<(RunDir, ProcessIdentity)>,
    /// Files used by the wait. They are closed late, because closing takes time.
    handles: Vec<WaitHandles>,
}

impl WaitOutcome {
    /// Waits until the ends are durable, the documents are written, and the supervisors have
    /// exited.
    pub fn wait_until_durable(&self, clock: &Clock) {
        self.handles.iter().for_each(WaitHandles::make_durable);
        let deadline = clock::deadline_in(EXIT_TIMEOUT);
        let mut exits = Exits::default();
        for (_, supervisor) in &self.supervisors {
            exits.add(supervisor, ());
        }
        while !exits.is_empty()
            && deadline.is_some_and(|deadline| !clock::until(deadline).is_zero())
        {
            exits.next(deadline);
        }
        for (place, _) in self
            .supervisors
            .iter()
            .filter(|(place, _)| !has_result(place) && place.exists())
        {
            // The supervisor was killed before it wrote them: a look does.
            let _pruned = look(place, clock);
        }
    }

    fn of(runs: Vec<WaitedRun<'_>>, timed_out: bool) -> Self {
        let over = runs.iter().filter(|run| run.is_over());
        let supervisors = over
            .filter_map(|run| Some((run.place.clone(), supervisor(run.log.state())?)))
            .collect();
        let (states, handles) = runs
            .into_iter()
            .map(|run| (run.log.into_fold(), run.handles))
            .unzip();
        Self {
            states,
            timed_out,
            supervisors,
            handles,
        }
    }
}

/// What woke us.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Wake {
    Interrupt,
    Run(usize),
    Output(usize),
}

/// Waits until runs are over, until the timeout, or until interrupted. `tell` receives the events.
pub fn wait(
    places: &[RunDir],
    options: WaitOptions<'_>,
    interrupts: &Interrupts,
    clock: &Clock,
    tell: &mut dyn FnMut(WaitEvent<'_>),
) -> Result<WaitOutcome, Error> {
    let deadline = options.timeout.and_then(clock::deadline_in);
    let near = places.len() <= MAX_PIPES;
    let mut runs: Vec<WaitedRun<'_>> = places
        .iter()
        .map(|place| WaitedRun::at(place, near))
        .collect();
    for run in &mut runs {
        run.check_owner(options.caller)?;
    }
    let mut exits: Exits<Wake> = Exits::default();
    for fd in interrupts
        .fds()
        .filter_map(|fd| fd.try_clone_to_owned().ok())
    {
        exits.also(fd, Wake::Interrupt);
    }
    let mut due: Vec<Wake> = (0..places.len()).map(Wake::Run).collect();
    if options.follow {
        for (index, run) in runs.iter_mut().enumerate().take(MAX_FOLLOWED) {
            run.output = Growing::watch(&run.logs(), run.logs().map(|log| near_end(&log))).ok();
            due.push(Wake::Output(index));
        }
    }
    loop {
        let mut unseen = Vec::new();
        for wake in std::mem::take(&mut due) {
            match wake {
                Wake::Interrupt => {}
                Wake::Output(index) => {
                    runs[index].pass_on(|bytes| tell(WaitEvent::Output(index, bytes)));
                    if let Some(fd) = runs[index].output_fd() {
                        exits.also(fd, wake);
                    }
                }
                Wake::Run(index) => {
                    let run = &mut runs[index];
                    run.look(clock)?;
                    if run.is_over() {
                        tell(WaitEvent::Ended(index, run.log.state().status));
                        continue;
                    }
                    if let Some(fd) = run.handles.pipe_fd() {
                        exits.also(fd, wake);
                    }
                    match supervisor(run.log.state()) {
                        Some(supervisor) => unseen.extend(exits.add(&supervisor, wake)),
                        None => unseen.push(wake),
                    }
                }
            }
        }
        let over = runs.iter().filter(|run| run.is_over()).count();
        let timed_out = deadline.is_some_and(|deadline| clock::until(deadline).is_zero());
        let enough = over == runs.len() || (options.until == Until::Any && over > 0);
        if enough || timed_out {
            return Ok(WaitOutcome::of(runs, !enough));
        }
        due = match unseen.first() {
            Some(Wake::Run(index)) => {
                // The run is being started or cleaned up, or its supervisor is in another PID
                // namespace. Its lock shows when that changes.
                let left = deadline.map_or(LOCK_WAIT, |deadline: Instant| {
                    clock::until(deadline).min(LOCK_WAIT)
                });
                let lock = places[*index].lock();
                let _held = Lock::acquire_unsigned(&lock, LockMode::Shared, LockWait::For(left));
                let mut due = exits.next(clock::deadline_in(Duration::ZERO));
                due.extend(unseen);
                due
            }
            _ => exits.next(deadline),
        };
        if interrupts.came() {
            return Err(Error::Interrupted {
                runs: places.iter().map(|place| place.id().to_string()).collect(),
            });
        }
        // A pipe and the exit of a supervisor may report the same event.
        due.sort_unstable();
        due.dedup();
        if near {
            exits.forget(|held| due.contains(held));
        }
    }
}

/// The position at which to start reading a log of which only the last line is shown.
fn near_end(log: &Path) -> u64 {
    log.metadata()
        .map_or(0, |log| log.len().saturating_sub(FIRST_OUTPUT))
}

/// A run that is waited for.
struct WaitedRun<'p> {
    place: &'p RunDir,
    log: RunLog<RunState>,
    /// False if there are too many runs to keep its files open.
    near: bool,
    handles: WaitHandles,
    output: Option<Growing>,
}

/// The pipe that wakes us when the run is over, and the journal to sync.
#[derive(Debug, Default)]
struct WaitHandles {
    pipe: Option<WaiterPipe>,
    journal: Option<SharedJournal>,
}

impl WaitHandles {
    fn pipe_fd(&self) -> Option<OwnedFd> {
        self.pipe.as_ref()?.as_fd().try_clone_to_owned().ok()
    }

    /// Syncs the journal. A supervisor wakes us before its record is durable; one sync serves both.
    fn make_durable(&self) {
        let Some(journal) = &self.journal else { return };
        let mark = journal.hold().map(|held| held.mark());
        // If the sync fails, the supervisor cannot guarantee more either, and all readers see the
        // record.
        let _failed = mark.and_then(|mark| journal.commit_to(&mark));
    }
}

impl<'p> WaitedRun<'p> {
    fn at(place: &'p RunDir, near: bool) -> Self {
        Self {
            place,
            log: RunLog::new(&place.journal()),
            near,
            handles: WaitHandles::default(),
            output: None,
        }
    }

    fn is_over(&self) -> bool {
        self.log.state().status.is_terminal()
    }

    fn logs(&self) -> [std::path::PathBuf; 2] {
        [self.place.stdout(), self.place.stderr()]
    }

    fn output_fd(&self) -> Option<OwnedFd> {
        self.output.as_ref()?.as_fd().try_clone_to_owned().ok()
    }

    /// Passes on new output. A log that cannot be read is not followed.
    fn pass_on(&mut self, mut tell: impl FnMut(&[u8])) {
        let Some(output) = &mut self.output else {
            return;
        };
        let _look_again = output.drain();
        for index in 0..2 {
            while let Ok(Some(bytes)) = output.more(index) {
                tell(&bytes);
            }
        }
    }

    /// Updates the status of the run: reads new records, and proves the status only if they do not
    /// say that the run is over.
    fn look(&mut self, clock: &Clock) -> Result<(), Error> {
        if self.near && self.handles.pipe.is_none() {
            if self.read_on()? {
                return Ok(());
            }
            // Look again below: the run may have ended before the pipe existed.
            if self.log.is_there() {
                self.handles.journal = self.log.journal(clock).ok();
                self.handles.pipe = WaiterPipe::open(&self.place.ears()).ok();
            }
        }
        if let Some(pipe) = &self.handles.pipe {
            pipe.drain();
            if self.read_on()? {
                return Ok(());
            }
            if supervisor(self.log.state()).is_some_and(|supervisor| supervisor.is_alive()) {
                return Ok(());
            }
        }
        let proved = prove_again(self.place, &mut self.log, clock);
        self.close_if_far();
        proved
    }

    /// Fails for a run of another session.
    fn check_owner(&mut self, caller: Option<&str>) -> Result<(), Error> {
        self.log.catch_up()?;
        let checked = check_owner(self.log.state(), self.place.id().as_str(), caller);
        self.close_if_far();
        checked
    }

    /// Closes the files if there are too many runs.
    fn close_if_far(&mut self) {
        if !self.near {
            self.log.close();
        }
    }

    /// Reads new records. Returns whether the run is over.
    fn read_on(&mut self) -> Result<bool, Error> {
        self.log.catch_up()?;
        Ok(self.is_over())
    }
}
