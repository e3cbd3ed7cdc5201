//! Words: splits a command line like a shell, without a shell (T1, T2).
//!
//! Owns quotes, backslashes and the source offset of each byte of a word. Never substitutes
//! anything: placeholders are still text here, so a value can never split into words.

use crate::template::origin::{TextProblem, column};
use crate::text;

/// The maximum number of words of one command.
pub(crate) const MAX_WORDS: usize = 100_000;

/// One word of a command line, unquoted.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct CommandWord {
    pub(crate) text: String,
    /// Whether any part was quoted, so that the word stays even if it is empty.
    pub(crate) quoted: bool,
    pub(crate) number: usize,
    /// Offsets in `text` of braces that were written `\{` or `\}`, ascending.
    escaped: Vec<usize>,
    /// The jumps in the mapping to the source text: (offset in `text`, offset in the source),
    /// ascending.
    jumps: Vec<(usize, usize)>,
}

impl CommandWord {
    /// A text that is not split, such as a label: only `\{` and `\}` are escapes.
    pub(crate) fn whole(text: &str) -> Self {
        let mut word = Self::default();
        let mut chars = text.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            let brace = chars.next_if(|(_, next)| c == '\\' && matches!(next, '{' | '}'));
            match brace {
                Some((at, brace)) => word.push_escaped(at, brace),
                None => word.push(at, c),
            }
        }
        word
    }

    /// The offset in the source text of an offset in this word.
    pub(crate) fn source_offset(&self, at: usize) -> usize {
        let next = self.jumps.partition_point(|(word, _)| *word <= at);
        let jump = next.checked_sub(1).and_then(|index| self.jumps.get(index));
        jump.map_or(at, |(word, source)| source + (at - word))
    }

    /// The braces that may open or close a placeholder, ascending.
    pub(crate) fn active_braces(&self) -> impl Iterator<Item = (usize, u8)> {
        let mut escaped = self.escaped.iter().peekable();
        self.text.bytes().enumerate().filter(move |(at, byte)| {
            matches!(byte, b'{' | b'}') && escaped.next_if(|next| *next == at).is_none()
        })
    }

    fn push(&mut self, source: usize, c: char) {
        if self.source_end() != Some(source) {
            self.jumps.push((self.text.len(), source));
        }
        self.text.push(c);
    }

    fn push_escaped(&mut self, source: usize, c: char) {
        if matches!(c, '{' | '}') {
            self.escaped.push(self.text.len());
        }
        self.push(source, c);
    }

    fn source_end(&self) -> Option<usize> {
        self.jumps
            .last()
            .map(|(word, source)| source + (self.text.len() - word))
    }
}

/// Splits a command line into words.
pub(crate) fn split(text: &str) -> Result<Vec<CommandWord>, TextProblem> {
    let mut words = Vec::new();
    let mut current: Option<CommandWord> = None;
    let mut quote: Option<(char, usize)> = None;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if quote.is_some_and(|(open, _)| open == c) {
            quote = None;
        } else if let Some((at, next)) =
            chars.next_if(|(_, next)| c == '\\' && is_escape(quote, *next))
        {
            current.get_or_insert_default().push_escaped(at, next);
        } else if quote.is_none() && matches!(c, '\'' | '"') {
            quote = Some((c, at));
            current.get_or_insert_default().quoted = true;
        } else if quote.is_none() && is_space(c) {
            finish(&mut words, current.take(), text, at)?;
        } else {
            current.get_or_insert_default().push(at, c);
        }
    }
    if let Some((open, at)) = quote {
        return Err(unterminated(text, words.len() + 1, open, at));
    }
    finish(&mut words, current, text, text.len())?;
    Ok(words)
}

fn is_escape(quote: Option<(char, usize)>, next: char) -> bool {
    let brace = matches!(next, '{' | '}');
    match quote {
        Some(('\'', _)) => brace,
        _ => brace || matches!(next, '\'' | '"' | '\\') || is_space(next),
    }
}

fn is_space(c: char) -> bool {
    c.is_whitespace() || c == '\u{feff}'
}

fn finish(
    words: &mut Vec<CommandWord>,
    word: Option<CommandWord>,
    text: &str,
    at: usize,
) -> Result<(), TextProblem> {
    let Some(mut word) = word else { return Ok(()) };
    if words.len() == MAX_WORDS {
        let message = format!(
            "the command has more than {MAX_WORDS} words, at column {}",
            column(text, at)
        );
        let hint = "pass long lists by file or stdin".to_owned();
        return Err(TextProblem {
            code: "too-many-words",
            message,
            hint,
            at,
        });
    }
    word.number = words.len() + 1;
    words.push(word);
    Ok(())
}

fn unterminated(text: &str, number: usize, open: char, at: usize) -> TextProblem {
    let begun = text::quoted(&text[at..]);
    let column = column(text, at);
    TextProblem {
        code: "unterminated-quote",
        message: format!(
            "word {number} opens a quote at column {column} that is never closed: {begun}"
        ),
        hint: format!("close it with {open}, or write \\{open} for a literal quote"),
        at,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn words(text: &str) -> Vec<String> {
        split(text)
            .unwrap()
            .into_iter()
            .map(|word| word.text)
            .collect()
    }

    #[test]
    fn t1_quotes_backslashes_and_spaces_split_as_written() {
        let table: &[(&str, &[&str])] = &[
            ("", &[]),
            (" \t\n\u{a0}\u{2003}\u{feff} ", &[]),
            (
                "tool 'literal words' --name hello\\ world",
                &["tool", "literal words", "--name", "hello world"],
            ),
            ("a  b\tc\nd\r\ne\u{a0}f", &["a", "b", "c", "d", "e", "f"]),
            ("a '' \"\" b", &["a", "", "", "b"]),
            ("a\"b\"'c'", &["abc"]),
            ("--x='a b'\" c\"", &["--x=a b c"]),
            ("\"a\\\"b\" \"it's\" '\"'", &["a\"b", "it's", "\""]),
            ("\\' \\\" \\\\ a\\\\b", &["'", "\"", "\\", "a\\b"]),
            (
                "grep \\d+ C:\\tools\\x.exe \"a\\nb\"",
                &["grep", "\\d+", "C:\\tools\\x.exe", "a\\nb"],
            ),
            ("a b\\", &["a", "b\\"]),
            ("a\\\nb", &["a\nb"]),
            ("'a\\b' '\\\\'", &["a\\b", "\\\\"]),
            ("\\{a\\} '\\{b\\}' \"\\{c\\}\"", &["{a}", "{b}", "{c}"]),
            ("{a b} c", &["{a", "b}", "c"]),
            ("\"{a=b c}\" --x=\"{f}\"/y", &["{a=b c}", "--x={f}/y"]),
            (
                "a $HOME | > ; && * # ~ `x`",
                &["a", "$HOME", "|", ">", ";", "&&", "*", "#", "~", "`x`"],
            ),
            ("日本 'é ü'", &["日本", "é ü"]),
        ];
        for (text, expected) in table {
            assert_eq!(&words(text), expected, "{text:?}");
        }
    }

    #[test]
    fn t1_an_open_quote_is_an_error_with_its_column() {
        for (text, column) in [("a 'b", 3), ("é \"b", 3), ("'a\\'b'", 6), ("a\nbc 'd", 4)] {
            let problem = split(text).unwrap_err();
            assert_eq!(problem.code, "unterminated-quote");
            assert!(
                problem.message.contains(&format!("column {column}")),
                "{}",
                problem.message
            );
        }
    }

    #[test]
    fn a_hostile_number_of_words_is_refused_and_a_huge_word_is_one_word() {
        assert_eq!(
            split(&"a ".repeat(MAX_WORDS + 1)).unwrap_err().code,
            "too-many-words"
        );
        let huge = "\\{".repeat(5 << 20);
        assert_eq!(split(&huge).unwrap()[0].text.len(), 5 << 20);
    }

    proptest! {
        #[test]
        fn splitting_never_panics_and_offsets_lead_back(text in "[a{}'\"\\\\ \\t\\n=?:é]{0,40}") {
            for word in split(&text).unwrap_or_default() {
                for (at, c) in word.text.char_indices() {
                    prop_assert!(text[word.source_offset(at)..].starts_with(c));
                }
            }
        }

        #[test]
        fn a_quoted_text_is_one_word_unchanged(text in "[^'{}]{0,40}") {
            prop_assert_eq!(words(&format!("'{text}'")), vec![text]);
        }

        #[test]
        fn an_escaped_text_is_one_word_unchanged(text in ".{1,40}") {
            let escaped: String = text.chars().flat_map(|c| {
                let special = is_escape(None, c);
                special.then_some('\\').into_iter().chain([c])
            }).collect();
            prop_assert_eq!(words(&escaped), vec![text]);
        }
    }
}
