//! The way to a value inside a document, written out only when somebody asks.
//!
//! Owns the steps. A reader passes them down as it goes, so that a document without findings costs
//! no text. The spelling is that of [`path_member`] and [`path_index`].

use super::{path_index, path_member};

/// The way to a value: a step, and the way to where it was taken.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Path<'a> {
    /// The document itself.
    Root,
    /// A member of an object.
    Member(&'a Path<'a>, &'a str),
    /// An item of a list.
    Index(&'a Path<'a>, usize),
}

impl<'a> Path<'a> {
    /// One member further.
    pub(crate) fn member(&'a self, name: &'a str) -> Self {
        Self::Member(self, name)
    }

    /// One item further.
    pub(crate) fn index(&'a self, index: usize) -> Self {
        Self::Index(self, index)
    }

    /// The last step, as a person would name it.
    pub(crate) fn last(&self) -> &'a str {
        match self {
            Self::Root => "the document",
            Self::Member(_, name) => name,
            Self::Index(parent, _) => parent.last(),
        }
    }

    /// The whole way as text.
    pub(crate) fn render(&self) -> String {
        match self {
            Self::Root => String::new(),
            Self::Member(parent, name) => path_member(&parent.render(), name),
            Self::Index(parent, index) => path_index(&parent.render(), *index),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_spelled_as_the_contract_says() {
        let loadouts = Path::Root.member("loadouts");
        let loadout = loadouts.member("Hello Utility");
        let sockets = loadout.member("sockets");
        let socket = sockets.member("hello");
        let edges = socket.member("edges");
        assert_eq!(
            edges.index(0).render(),
            "loadouts[\"Hello Utility\"].sockets.hello.edges[0]"
        );
        assert_eq!(edges.index(0).last(), "edges");
    }
}
