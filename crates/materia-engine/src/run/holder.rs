//! The process that holds a message, as a journal identifies it.
//!
//! Owns the conversion between a process and that identity. An identity matches one process only,
//! even after its pid was reused.

use materia_model::message::event::MessageHolder;

use crate::process::ProcessIdentity;

/// Whether the process that claimed a message has ended.
pub fn is_dead(holder: &MessageHolder) -> bool {
    !identity(holder).is_alive()
}

/// The holder for a process.
pub fn holder(process: ProcessIdentity) -> MessageHolder {
    MessageHolder {
        pid: process.pid,
        start_time: process.start_time,
        boot_id: process.boot_id,
    }
}

/// The process of a holder.
pub fn identity(holder: &MessageHolder) -> ProcessIdentity {
    ProcessIdentity {
        pid: holder.pid,
        start_time: holder.start_time,
        boot_id: holder.boot_id.clone(),
    }
}
