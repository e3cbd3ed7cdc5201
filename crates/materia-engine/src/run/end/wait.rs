//! Waiting for runs to end, without looking again and again.
//!
//! Owns the wait: a supervisor wakes us when it has recorded the end, the kernel reports its own
//! end, however it ended, and the journal says how the run did. A run whose supervisor is dead is
//! settled by the first look. What the runs write meanwhile is passed on where that is asked for.

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

/// How long one wait takes for a process whose end the kernel does not report to us.
const LOCK_WAIT: Duration = Duration::from_secs(1);

/// How many runs may be waited for with a pipe beside each: more than that are only watched for the
/// ends of their supervisors, which come a moment later.
const MAX_PIPES: usize = 64;

/// How many runs are followed while they are waited for.
const MAX_FOLLOWED: usize = 100;

/// How much of what a run wrote before is passed on at first: enough for its last line.
const FIRST_OUTPUT: u64 = 4096;

/// How long a supervisor that has recorded the end is waited for.
const EXIT_TIMEOUT: Duration = Duration::from_secs(2);

/// Which runs have to be over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Until {
    /// Every one.
    All,
    /// One.
    Any,
}

/// What is waited for.
#[derive(Debug, Clone, Copy)]
pub struct WaitOptions<'a> {
    /// Which runs have to be over.
    pub until: Until,
    /// How long to wait at most.
    pub timeout: Option<Duration>,
    /// Whether to pass on what the runs write.
    pub follow: bool,
    /// The session that has to own them; the operator has none.
    pub caller: Option<&'a str>,
}

/// Something that happened to one of the runs, by its number.
#[derive(Debug)]
pub enum WaitEvent<'a> {
    /// Its commands wrote this.
    Output(usize, &'a [u8]),
    /// It is over.
    Ended(usize, RunStatus),
}

/// What waiting found, in the order of the runs.
#[derive(Debug)]
pub struct WaitOutcome {
    /// How each run stands.
    pub states: Vec<RunState>,
    /// Whether the time was over first.
    pub timed_out: bool,
    /// The supervisors of runs that are over: what is left for them is to make the end durable, to
    /// write it down for others, and to exit.
    supervisors: Vec<(RunDir, ProcessIdentity)>,
    /// What waiting needed; closed late, because closing takes time.
    handles: Vec<WaitHandles>,
}

impl WaitOutcome {
    /// Waits until the ends are durable and written down, and the supervisors are gone: nothing of
    /// the runs is left.
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
            // It was killed before it could: a look writes it down.
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

/// Waits until runs are over, until the time is, or until we are interrupted. `tell` gets what
/// happens meanwhile.
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
                // It is being started or cleaned up after, or its supervisor is where we see no
                // processes: its lock shows when that changes.
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
        // A pipe and the end of a supervisor may report the same.
        due.sort_unstable();
        due.dedup();
        if near {
            exits.forget(|held| due.contains(held));
        }
    }
}

/// Where to begin with a log of which only the last line is shown.
fn near_end(log: &Path) -> u64 {
    log.metadata()
        .map_or(0, |log| log.len().saturating_sub(FIRST_OUTPUT))
}

/// A run that is waited for.
struct WaitedRun<'p> {
    place: &'p RunDir,
    log: RunLog<RunState>,
    /// Not where there are too many runs.
    near: bool,
    handles: WaitHandles,
    output: Option<Growing>,
}

/// What wakes us when the run is over, and the journal to make durable.
#[derive(Debug, Default)]
struct WaitHandles {
    pipe: Option<WaiterPipe>,
    journal: Option<SharedJournal>,
}

impl WaitHandles {
    fn pipe_fd(&self) -> Option<OwnedFd> {
        self.pipe.as_ref()?.as_fd().try_clone_to_owned().ok()
    }

    /// A supervisor wakes us before the disk has what it wrote; the same sync serves both.
    fn make_durable(&self) {
        let Some(journal) = &self.journal else { return };
        let mark = journal.hold().map(|held| held.mark());
        // Where that fails, the supervisor cannot promise more either, and the record is what
        // everyone sees.
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

    /// Passes on what was written since. A log that cannot be read is not followed.
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

    /// Looks how the run stands: reads what was added, and proves the rest only where that does not
    /// say that it is over.
    fn look(&mut self, clock: &Clock) -> Result<(), Error> {
        if self.near && self.handles.pipe.is_none() {
            if self.read_on()? {
                return Ok(());
            }
            // Another look is taken below: it may have ended before the pipe was there.
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

    /// Refuses a run of another session.
    fn check_owner(&mut self, caller: Option<&str>) -> Result<(), Error> {
        self.log.catch_up()?;
        let checked = check_owner(self.log.state(), self.place.id().as_str(), caller);
        self.close_if_far();
        checked
    }

    /// Keeps no file open where there are too many runs.
    fn close_if_far(&mut self) {
        if !self.near {
            self.log.close();
        }
    }

    /// Reads what was added; whether the run is over.
    fn read_on(&mut self) -> Result<bool, Error> {
        self.log.catch_up()?;
        Ok(self.is_over())
    }
}
