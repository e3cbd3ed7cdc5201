//! One request: the words of a command line, and what it reads.

/// What is to be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Request {
    /// The words, the verb first.
    pub(super) words: Vec<String>,
    /// What it reads.
    pub(super) stdin: Option<String>,
    /// What is to come back.
    pub(super) form: Form,
    /// What the asker should know besides.
    pub(super) notes: Vec<String>,
}

/// What comes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// The report of `--json`.
    Report,
    /// What a person would read.
    Text,
}

impl Request {
    /// A request for a report.
    pub(super) fn report<W: Into<String>>(words: impl IntoIterator<Item = W>) -> Self {
        let words = words.into_iter().map(Into::into).collect();
        Self {
            words,
            stdin: None,
            form: Form::Report,
            notes: Vec::new(),
        }
    }

    /// The same with a text to read.
    pub(super) fn reading(self, stdin: String) -> Self {
        Self {
            stdin: Some(stdin),
            ..self
        }
    }
}
