//! The advance of a loop: derives it from the exit and compares it with the written one.
//!
//! Owns where a loop advances to its next item if the loadout does not define it.

use super::super::draft::TextDraft;
use super::super::graph::{RouteGuard, SocketIndex};
use super::super::loops::INVALID;
use super::{DerivedAdvance, LoopList, LoopReading, One};
use crate::materia::OutputParse;

impl One<'_> {
    /// The advance implied by the exit. Reports a written one that differs.
    pub(super) fn advance(&mut self, region: &LoopReading) -> Option<DerivedAdvance> {
        let list = region.list.as_ref()?;
        let exit = self.exit();
        if let Some((from, when, _)) = exit {
            let own = self.draft.sockets[from.0].advance.is_some();
            if own && self.written.consumes.is_some() {
                self.same_advance(from, when, list);
            }
            let derived = DerivedAdvance {
                socket: from,
                region: self.index,
                when,
            };
            return (!own && self.turns_at_its_exit()).then_some(derived);
        }
        if self.advances() {
            return None;
        }
        let derived = self.advance_of_exits(region);
        if derived.is_none() && self.written.exit.is_none() {
            let message = "nothing in the loop advances it to the next item";
            let hint =
                "add \"exit\": {\"from\": …, \"when\": …, \"to\": …}, or `advance` on a socket";
            self.written.at.at_name().warn(message, hint);
        }
        derived
    }

    /// If all routes start from one socket, the loop advances there.
    fn advance_of_exits(&mut self, region: &LoopReading) -> Option<DerivedAdvance> {
        let first = region.exits.first()?;
        if region.exits.iter().any(|route| route.from != first.from) {
            return None;
        }
        let when = if region.exits.len() == 1 {
            first.guard
        } else {
            RouteGuard::Always
        };
        let (socket, region) = (first.from, self.index);
        let reading = self.readings[socket.0].as_mut()?;
        if when.is_guarded() && *reading.parse.get_or_insert(OutputParse::Json) == OutputParse::Text
        {
            return None;
        }
        Some(DerivedAdvance {
            socket,
            region,
            when,
        })
    }

    /// The written advance of an exit source must be the implied one.
    fn same_advance(&self, from: SocketIndex, when: RouteGuard, list: &LoopList) {
        let socket = &self.draft.sockets[from.0];
        let Some(advance) = &socket.advance else {
            return;
        };
        let written_when = if advance.when_at.is_some() {
            advance.when
        } else {
            Some(RouteGuard::Always)
        };
        let fields = [
            (
                "cursor",
                advance.cursor.as_ref().map(TextDraft::located),
                list.cursor.as_str(),
            ),
            (
                "items",
                advance.items.as_ref().map(TextDraft::located),
                list.items.as_str(),
            ),
            (
                "when",
                written_when.map(|guard| (guard.as_str(), advance.when_at())),
                when.as_str(),
            ),
        ];
        for (name, written, expected) in fields {
            let Some((given, at)) = written.filter(|(given, _)| *given != expected) else {
                continue;
            };
            let message =
                format!("`{name}` is `{given}`, but the loop's exit asks for `{expected}`");
            let hint = "remove `advance`: it follows from the loop's exit";
            at.with_code(INVALID).error(message, hint);
        }
    }
}
