//! Starting plans: in the foreground with a report (`run`), or as a run that goes on alone
//! (`spawn`).
//!
//! Owns the ids, the values that a run gives its template, and the reports. What a plan is made
//! from is the business of `recipe`; executing it that of `execute` and `run`.

pub mod artifact;
pub mod own_command;
pub mod run;
pub mod spawn;
