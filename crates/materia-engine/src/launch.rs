//! Starting plans: in the foreground with a report (`run`), or as a run that continues on its own
//! (`spawn`).
//!
//! Owns the ids, the values that a run gives its template, and the reports. `recipe` makes the
//! plan; `execute` and `run` execute it.

pub mod artifact;
pub mod own_command;
pub mod run;
pub mod spawn;
