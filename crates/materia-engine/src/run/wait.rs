//! Waiting for runs to end, without looking again and again.
//!
//! Owns the wait: a supervisor rings when it has recorded the end, the kernel tells its own end, however it ended, and the
//! journal says how the run did. A run whose supervisor is dead is settled by the first look.

use std::os::fd::AsFd;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use materia_model::run::State;

use super::error::Error;
use super::journal;
use super::place::Place;
use super::status::{look, supervisor};
use crate::clock::{self, Clock};
use crate::process::{Exits, Identity};
use crate::store::ears::Ear;
use crate::store::journal::{From, JournalError, Reader, SharedJournal};
use crate::store::lock::{Lock, Mode, Wait, is_held};

/// How long one wait for somebody takes whose end the kernel does not tell us.
const PAUSE: Duration = Duration::from_secs(1);

/// How many runs may be waited for with a bell beside each: more than that are only watched for the ends of their
/// supervisors, which come a moment later.
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

/// The supervisors of runs that are over: they have nothing left to do but to make that durable, to write it down for
/// others, and to end. Also what was needed to wait for them, which is put away when nobody waits for us any more.
#[derive(Debug, Default)]
pub struct Leaving(Vec<Parting>);

/// A supervisor that leaves, with the lock that it holds until it has nothing left to do.
#[derive(Debug)]
struct Parting {
    supervisor: Option<Identity>,
    lock: PathBuf,
    beside: Beside,
}

impl Leaving {
    /// Waits until the ends are durable and the supervisors have let go of the runs.
    pub fn see_off(&self) {
        self.0.iter().for_each(|parting| parting.beside.make_durable());
        let deadline = clock::deadline_in(LINGER);
        for parting in &self.0 {
            parting.wait(deadline);
        }
    }
}

impl Parting {
    /// A lock that is still held when this supervisor is gone is somebody else's.
    fn wait(&self, deadline: Option<Instant>) {
        let Some(supervisor) = &self.supervisor else { return };
        if is_held(&self.lock) {
            // It gave way to us so that we could speak first.
            std::thread::yield_now();
        }
        while is_held(&self.lock) && deadline.is_some_and(|deadline| !clock::until(deadline).is_zero()) {
            let mut told = Exits::default();
            if told.add(supervisor, ()).is_some() {
                return;
            }
            self.beside.ear.iter().for_each(Ear::quiet);
            self.beside.listen((), &mut told);
            // It may have let go before the bell was quiet.
            if is_held(&self.lock) {
                told.next(deadline);
            }
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

/// Waits until runs are over, or until the time is.
pub fn wait(places: &[Place], until: Until, time: Option<Duration>, clock: &Clock) -> Result<Awaited, Error> {
    let deadline = time.and_then(clock::deadline_in);
    let near = places.len() <= MOST_BELLS;
    let mut seats: Vec<Seat<'_>> = places.iter().map(|place| Seat::at(place, near)).collect();
    let mut exits: Exits<usize> = Exits::default();
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
            // It is being started or cleaned up after, or its supervisor is where we see no processes: its lock tells.
            Some(index) => {
                let left = deadline.map_or(PAUSE, |deadline: Instant| clock::until(deadline).min(PAUSE));
                let lock = places[*index].lock();
                let _held = Lock::acquire_unsigned(&lock, Mode::Shared, Wait::For(left));
                let mut due = exits.next(clock::deadline_in(Duration::ZERO));
                due.extend(unseen);
                due
            }
        };
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
        let parting = |seat: Seat<'_>| {
            let supervisor = supervisor(&seat.state).filter(|_| seat.is_over());
            (seat.state, Parting { supervisor, lock: seat.place.lock(), beside: seat.beside })
        };
        let (states, leaving) = seats.into_iter().map(parting).unzip();
        Self { states, timed_out, leaving: Leaving(leaving) }
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

/// What rings when the run is over, the journal as far as it was read, and the journal to make durable.
#[derive(Debug, Default)]
struct Beside {
    ear: Option<Ear>,
    reader: Option<Reader>,
    journal: Option<SharedJournal>,
}

impl Beside {
    /// Wakes when it rings, also when it has by now.
    fn listen<T>(&self, word: T, exits: &mut Exits<T>) {
        if let Some(fd) = self.ear.as_ref().and_then(|ear| ear.as_fd().try_clone_to_owned().ok()) {
            exits.also(fd, word);
        }
    }

    /// A supervisor rings before the disk has what it wrote; the same sync serves both.
    fn make_durable(&self) {
        let Some(journal) = &self.journal else { return };
        let mark = journal.hold().map(|held| held.mark());
        // Where that fails, the supervisor cannot promise more either, and the record is what everybody sees.
        let _failed = mark.and_then(|mark| journal.commit_to(&mark));
    }
}

impl<'p> Seat<'p> {
    fn at(place: &'p Place, near: bool) -> Self {
        Self { place, state: State::default(), near, beside: Beside::default() }
    }

    fn is_over(&self) -> bool {
        self.state.status.is_terminal()
    }

    /// Looks how the run stands: reads what was added, and proves the rest only where that does not say that it is over.
    fn look(&mut self, clock: &Clock) -> Result<(), Error> {
        if self.near && self.beside.ear.is_none() {
            if self.read_on()? {
                return Ok(());
            }
            // Another look is taken below: it may have ended before the bell was hung.
            if self.beside.reader.is_some() {
                self.beside.journal = journal(self.place, clock).ok();
                self.beside.ear = Ear::open(&self.place.ears()).ok();
            }
        }
        if let Some(ear) = &self.beside.ear {
            ear.quiet();
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
