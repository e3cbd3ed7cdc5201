//! A timer that redraws live output on a terminal.
//!
//! Owns one thread and its shutdown. No other thread waits for it. The drawn state is shared with
//! the observer that receives events.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// The interval between two drawings.
const PACE: Duration = Duration::from_millis(100);

/// A timer that runs until it is dropped.
#[derive(Debug)]
pub(super) struct Ticker(Option<(Sender<()>, JoinHandle<()>)>);

impl Ticker {
    /// Starts the timer. If no thread can be started, the display is only redrawn on events.
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

/// Locks the drawn state. Ignores poisoning: after a panic while drawing, the display can still be
/// redrawn.
pub(super) fn locked<T>(drawn: &Mutex<T>) -> MutexGuard<'_, T> {
    drawn.lock().unwrap_or_else(PoisonError::into_inner)
}
