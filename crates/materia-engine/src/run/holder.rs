//! The process that holds a message, as a journal names it.
//!
//! Owns the way from a process to that name and back. A name fits one process only, also after its
//! pid went to another.

use materia_model::message::event::MessageHolder;

use crate::process::ProcessIdentity;

/// Whether the process that claimed a message has ended.
pub fn is_dead(holder: &MessageHolder) -> bool {
    !identity(holder).is_alive()
}

/// A process as a holder.
pub fn holder(process: ProcessIdentity) -> MessageHolder {
    MessageHolder {
        pid: process.pid,
        start_time: process.start_time,
        boot_id: process.boot_id,
    }
}

/// A holder as a process.
pub fn identity(holder: &MessageHolder) -> ProcessIdentity {
    ProcessIdentity {
        pid: holder.pid,
        start_time: holder.start_time,
        boot_id: holder.boot_id.clone(),
    }
}
