//! The path to a value inside a document, rendered only when a finding needs it.
//!
//! Owns the steps. Paths share their prefixes, so that a reader can keep one for every value that
//! it may still report on. The text form is that of [`path_member`] and [`path_index`].

use std::rc::Rc;

use super::{path_index, path_member};

/// The path to a value: its last step, and the path before that step.
#[derive(Debug, Clone)]
pub(crate) enum ValuePath {
    /// The document itself.
    Root,
    Member(Rc<(ValuePath, String)>),
    Index(Rc<(ValuePath, usize)>),
}

impl ValuePath {
    pub(crate) fn member(&self, name: &str) -> Self {
        Self::Member(Rc::new((self.clone(), name.to_owned())))
    }

    pub(crate) fn index(&self, index: usize) -> Self {
        Self::Index(Rc::new((self.clone(), index)))
    }

    /// The name of the last member on the path.
    pub(crate) fn last(&self) -> &str {
        match self {
            Self::Root => "the document",
            Self::Member(step) => &step.1,
            Self::Index(step) => step.0.last(),
        }
    }

    /// The whole path as text.
    pub(crate) fn render(&self) -> String {
        match self {
            Self::Root => String::new(),
            Self::Member(step) => path_member(&step.0.render(), &step.1),
            Self::Index(step) => path_index(&step.0.render(), step.1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_rendered_as_the_contract_says() {
        let loadout = ValuePath::Root.member("loadouts").member("Hello Utility");
        let edge = loadout
            .member("sockets")
            .member("hello")
            .member("edges")
            .index(0);
        assert_eq!(
            edge.render(),
            "loadouts[\"Hello Utility\"].sockets.hello.edges[0]"
        );
        assert_eq!(edge.last(), "edges");
    }
}
