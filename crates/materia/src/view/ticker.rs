//! A clock for what is live on a terminal: something is drawn again and again while somebody
//! watches.
//!
//! Owns one thread and its end. Nothing waits for it; what it draws is shared with whoever is told
//! what happens.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// How often something is drawn.
const PACE: Duration = Duration::from_millis(100);

/// A clock that ticks until it is dropped.
#[derive(Debug)]
pub(super) struct Ticker(Option<(Sender<()>, JoinHandle<()>)>);

impl Ticker {
    /// Ticks from now on. Where no thread can be had, it does not, and pictures change only when
    /// something happens.
    pub(super) fn start<T: Send + 'static>(drawn: &Arc<Mutex<T>>, draw: fn(&mut T)) -> Self {
        let (stop, stopped) = channel();
        let drawn = drawn.clone();
        let ticks = move || {
            while stopped.recv_timeout(PACE) == Err(RecvTimeoutError::Timeout) {
                draw(&mut locked(&drawn));
            }
        };
        let thread = std::thread::Builder::new()
            .name("ticker".to_owned())
            .spawn(ticks)
            .ok();
        Self(thread.map(|thread| (stop, thread)))
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        if let Some((stop, thread)) = self.0.take() {
            drop(stop);
            let _ended = thread.join();
        }
    }
}

/// What is drawn; a picture whose last drawing panicked can still be drawn over.
pub(super) fn locked<T>(drawn: &Mutex<T>) -> MutexGuard<'_, T> {
    drawn.lock().unwrap_or_else(PoisonError::into_inner)
}
