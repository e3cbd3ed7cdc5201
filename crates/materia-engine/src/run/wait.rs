//! Waiting for runs to end, without looking again and again.
//!
//! Owns the wait: a supervisor rings when it has recorded the end, the kernel tells its own end,
//! however it ended, and the journal says how the run did. A run whose supervisor is dead is
//! settled by the first look.

use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use materia_model::run::State;

use super::error::Error;
use super::journal;
use super::place::Place;
use super::snapshot::has_result;
use super::status::{look, supervisor};
use crate::clock::{self, Clock};
use crate::process::{Exits, Identity, Interrupts};
use crate::store::journal::{From, JournalError, Reader, SharedJournal};
use crate::store::lock::{Lock, Mode, Wait};
use crate::wake::WaiterPipe;

/// How long one wait for somebody takes whose end the kernel does not tell us.
const PAUSE: Duration = Duration::from_secs(1);

/// How many runs may be waited for with a bell beside each: more than that are only watched for the
/// ends of their supervisors, which come a moment later.
const MOST_BELLS: usize = 64;

/// How long a supervisor that has recorded the end is waited for.
const LINGER: Duration = Duration::from_secs(2);

/// What waiting found, in the order of the runs.
#[derive(Debug)]
pub struct Awaited {
    /// How each run stands.
    pub states: Vec<State>,
    /// Whether the time was over first.
    pub timed_out: bool,
    /// Who is still about to end.
    pub leaving: Leaving,
}

/// The supervisors of runs that are over: they have nothing left to do but to make that durable, to
/// write it down for others, and to end. Also what was needed to wait for them, which is put away
/// when nobody waits for us any more.
#[derive(Debug, Default)]
pub struct Leaving {
    supervisors: Vec<(Place, Identity)>,
    needed: Vec<Beside>,
}

impl Leaving {
    /// Waits until the ends are durable and written down, and the supervisors are gone: nothing of
    /// the runs is left.
    pub fn see_off(&self, clock: &Clock) {
        self.needed.iter().for_each(Beside::make_durable);
        let deadline = clock::deadline_in(LINGER);
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
            // It was killed before it could: whoever looks writes it down.
            let _pruned = look(place, clock);
        }
    }
}

/// Which runs have to be over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Until {
    /// Every one.
    All,
    /// One.
    Any,
}

/// Waits until runs are over, or until the time is, or until we are interrupted.
pub fn wait(
    places: &[Place],
    until: Until,
    time: Option<Duration>,
    clock: &Clock,
) -> Result<Awaited, Error> {
    let interrupts = Interrupts::catch();
    let deadline = time.and_then(clock::deadline_in);
    let near = places.len() <= MOST_BELLS;
    let mut seats: Vec<Seat<'_>> = places.iter().map(|place| Seat::at(place, near)).collect();
    let mut exits: Exits<usize> = Exits::default();
    for fd in interrupts
        .fds()
        .filter_map(|fd| fd.try_clone_to_owned().ok())
    {
        exits.also(fd, places.len());
    }
    let mut due: Vec<usize> = (0..places.len()).collect();
    loop {
        let mut unseen = Vec::new();
        for index in std::mem::take(&mut due) {
            let seat = &mut seats[index];
            seat.look(clock)?;
            if seat.is_over() {
                continue;
            }
            seat.beside.listen(index, &mut exits);
            match supervisor(&seat.state) {
                Some(supervisor) => unseen.extend(exits.add(&supervisor, index)),
                None => unseen.push(index),
            }
        }
        let over = seats.iter().filter(|seat| seat.is_over()).count();
        let timed_out = deadline.is_some_and(|deadline| clock::until(deadline).is_zero());
        let enough = over == seats.len() || (until == Until::Any && over > 0);
        if enough || timed_out {
            return Ok(Awaited::of(seats, !enough));
        }
        due = match unseen.first() {
            None => exits.next(deadline),
            // It is being started or cleaned up after, or its supervisor is where we see no
            // processes: its lock tells.
            Some(index) => {
                let left =
                    deadline.map_or(PAUSE, |deadline: Instant| clock::until(deadline).min(PAUSE));
                let lock = places[*index].lock();
                let _held = Lock::acquire_unsigned(&lock, Mode::Shared, Wait::For(left));
                let mut due = exits.next(clock::deadline_in(Duration::ZERO));
                due.extend(unseen);
                due
            }
        };
        if interrupts.came() {
            return Err(Error::Interrupted {
                runs: places.iter().map(|place| place.id().to_string()).collect(),
            });
        }
        // A bell and the end of a supervisor may tell the same.
        due.sort_unstable();
        due.dedup();
        if near {
            exits.forget(|held| due.contains(held));
        }
    }
}

impl Awaited {
    fn of(seats: Vec<Seat<'_>>, timed_out: bool) -> Self {
        let over = seats.iter().filter(|seat| seat.is_over());
        let supervisors = over
            .filter_map(|seat| Some((seat.place.clone(), supervisor(&seat.state)?)))
            .collect();
        let (states, needed) = seats
            .into_iter()
            .map(|seat| (seat.state, seat.beside))
            .unzip();
        Self {
            states,
            timed_out,
            leaving: Leaving {
                supervisors,
                needed,
            },
        }
    }
}

/// A place beside a run.
struct Seat<'p> {
    place: &'p Place,
    state: State,
    /// Not where there are too many runs.
    near: bool,
    beside: Beside,
}

/// What rings when the run is over, the journal as far as it was read, and the journal to make
/// durable.
#[derive(Debug, Default)]
struct Beside {
    ear: Option<WaiterPipe>,
    reader: Option<Reader>,
    journal: Option<SharedJournal>,
}

impl Beside {
    /// Wakes when it rings, also when it has by now.
    fn listen(&self, index: usize, exits: &mut Exits<usize>) {
        if let Some(fd) = self
            .ear
            .as_ref()
            .and_then(|ear| ear.as_fd().try_clone_to_owned().ok())
        {
            exits.also(fd, index);
        }
    }

    /// A supervisor rings before the disk has what it wrote; the same sync serves both.
    fn make_durable(&self) {
        let Some(journal) = &self.journal else { return };
        let mark = journal.hold().map(|held| held.mark());
        // Where that fails, the supervisor cannot promise more either, and the record is what
        // everybody sees.
        let _failed = mark.and_then(|mark| journal.commit_to(&mark));
    }
}

impl<'p> Seat<'p> {
    fn at(place: &'p Place, near: bool) -> Self {
        Self {
            place,
            state: State::default(),
            near,
            beside: Beside::default(),
        }
    }

    fn is_over(&self) -> bool {
        self.state.status.is_terminal()
    }

    /// Looks how the run stands: reads what was added, and proves the rest only where that does not
    /// say that it is over.
    fn look(&mut self, clock: &Clock) -> Result<(), Error> {
        if self.near && self.beside.ear.is_none() {
            if self.read_on()? {
                return Ok(());
            }
            // Another look is taken below: it may have ended before the bell was hung.
            if self.beside.reader.is_some() {
                self.beside.journal = journal(self.place, clock).ok();
                self.beside.ear = WaiterPipe::open(&self.place.ears()).ok();
            }
        }
        if let Some(ear) = &self.beside.ear {
            ear.drain();
            if self.read_on()? {
                return Ok(());
            }
            if supervisor(&self.state).is_some_and(|supervisor| supervisor.is_alive()) {
                return Ok(());
            }
        }
        self.state = look(self.place, clock)?;
        self.beside.reader = None;
        Ok(())
    }

    /// Reads what was added; whether the run is over.
    fn read_on(&mut self) -> Result<bool, Error> {
        if self.beside.reader.is_none() {
            self.state = State::default();
            self.beside.reader = match Reader::open(&self.place.journal(), From::Beginning) {
                Err(JournalError::Missing(_)) => None,
                opened => Some(opened?),
            };
        }
        for record in self.beside.reader.iter_mut().flatten() {
            self.state.apply(&record?);
        }
        Ok(self.is_over())
    }
}
