//! Placeholders: the forms of text in braces.
//!
//! Owns the forms and their order (T4), the pieces of a text, and the error for braces that match
//! no form (T5). Only innermost braces are placeholders; `{}` and an unmatched brace are literal.
//! Never looks a value up.

use serde_json::Value;

use super::expression::{self, Expression};
use super::{CommandWord, MAX_PADDING, is_name, leading_name, padded_width};
use crate::template::origin::{TextProblem, column};
use crate::template::unit::TemplateUnit;
use crate::template::value::{ValueType, render};
use crate::text;

/// A text in pieces.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TemplateText {
    pub(crate) pieces: Vec<TextPiece>,
    /// Unquoted: the word is dropped if it evaluates to an empty text (T2).
    pub(crate) vanishes: bool,
}

/// A part of a text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum TextPiece {
    Literal(String),
    Placeholder(Placeholder),
}

/// Braces that stand for a value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Placeholder {
    pub(crate) form: PlaceholderForm,
    /// The text in the braces.
    pub(crate) content: String,
    /// The offset of the opening brace, in bytes of the written text.
    pub(crate) at: usize,
}

/// The form of a placeholder.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum PlaceholderForm {
    /// `{name}`, `{name=default}`, `{name:type=default}`; a hyphenated name may also be a
    /// subtraction (T8).
    Value {
        name: String,
        declared: Option<ValueType>,
        default: Option<String>,
        difference: Option<Expression>,
    },
    /// `{name??otherwise}`
    Fallback { name: String, otherwise: String },
    /// `{name?yes:no}` or `{!name?yes:no}`
    Choice {
        name: String,
        negated: bool,
        yes: String,
        no: String,
    },
    /// `{items[0]}` or `{items[index]}`
    Item { name: String, index: ItemIndex },
    /// `{items.length}`
    Length { name: String },
    /// `{stages.review}`: the file with the output of an earlier stage (R7).
    Stage { name: String },
    /// `{index+1}`, `{_(index+1)}`
    Expression {
        expression: Expression,
        source: String,
        width: usize,
    },
}

/// Which item of an array.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ItemIndex {
    Literal(usize),
    Name(String),
}

impl TemplateText {
    /// Parses a word into pieces. `whole` is the text that contained the word, and `unit` the
    /// document whose imports it may reference.
    pub(crate) fn parse(
        word: &CommandWord,
        whole: &str,
        unit: Option<&TemplateUnit>,
    ) -> Result<Self, TextProblem> {
        let mut pieces = Vec::new();
        let mut literal_from = 0;
        for (open, close) in groups(word) {
            let content = &word.text[open + 1..close];
            let at = word.source_offset(open);
            push_literal(&mut pieces, &word.text[literal_from..open]);
            literal_from = close + 1;
            match unit.and_then(|unit| unit.refer(content)) {
                Some(referred) => push_referred(&mut pieces, referred, at)?,
                None => {
                    let form = form(content)
                        .map_err(|wrong| no_placeholder(word, whole, content, at, wrong))?;
                    pieces.push(TextPiece::Placeholder(Placeholder {
                        form,
                        content: content.to_owned(),
                        at,
                    }));
                }
            }
        }
        push_literal(&mut pieces, &word.text[literal_from..]);
        Ok(Self {
            pieces,
            vanishes: !word.quoted,
        })
    }

    /// The placeholders in it.
    pub(crate) fn placeholders(&self) -> impl Iterator<Item = &Placeholder> {
        self.pieces.iter().filter_map(|piece| match piece {
            TextPiece::Placeholder(placeholder) => Some(placeholder),
            TextPiece::Literal(_) => None,
        })
    }

    /// The placeholder that is the whole text, if it is one.
    pub(crate) fn single(&self) -> Option<&Placeholder> {
        match self.pieces.as_slice() {
            [TextPiece::Placeholder(placeholder)] => Some(placeholder),
            _ => None,
        }
    }

    /// The approximate written form of the text.
    pub(crate) fn spelled(&self) -> String {
        let piece = |piece: &TextPiece| match piece {
            TextPiece::Literal(literal) => literal.clone(),
            TextPiece::Placeholder(placeholder) => format!("{{{}}}", placeholder.content),
        };
        self.pieces.iter().map(piece).collect()
    }

    /// The text, if it contains no placeholder.
    pub(crate) fn literal(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [] => Some(""),
            [TextPiece::Literal(text)] => Some(text),
            _ => None,
        }
    }
}

/// Inserts the referenced text of an import. Its placeholders stay placeholders, and it never
/// splits into words.
fn push_referred(
    pieces: &mut Vec<TextPiece>,
    referred: Result<Value, String>,
    at: usize,
) -> Result<(), TextProblem> {
    let value = referred.map_err(|message| TextProblem {
        code: "unknown-reference",
        message,
        hint: "write {alias.defaults.key=fallback}, or add the key to the import".to_owned(),
        at,
    })?;
    let text = render(&value);
    let word = CommandWord::whole(&text);
    let inner = value
        .as_str()
        .and_then(|_| TemplateText::parse(&word, &text, None).ok());
    match inner {
        Some(inner) => {
            for piece in inner.pieces {
                match piece {
                    TextPiece::Literal(literal) => push_literal(pieces, &literal),
                    TextPiece::Placeholder(inner) => {
                        pieces.push(TextPiece::Placeholder(Placeholder { at, ..inner }));
                    }
                }
            }
        }
        None => push_literal(pieces, &text),
    }
    Ok(())
}

fn push_literal(pieces: &mut Vec<TextPiece>, text: &str) {
    match pieces.last_mut() {
        _ if text.is_empty() => {}
        Some(TextPiece::Literal(before)) => before.push_str(text),
        _ => pieces.push(TextPiece::Literal(text.to_owned())),
    }
}

/// Pairs of innermost braces that are not empty.
fn groups(word: &CommandWord) -> Vec<(usize, usize)> {
    let mut groups = Vec::new();
    let mut open = None;
    for (at, brace) in word.active_braces() {
        if brace == b'{' {
            open = Some(at);
        } else if let Some(open) = open.take().filter(|open| open + 1 < at) {
            groups.push((open, at));
        }
    }
    groups
}

/// Why text in braces matches no form, if there is more to say.
struct Wrong {
    because: Option<String>,
    hint: String,
}

impl From<&'static str> for Wrong {
    fn from(because: &'static str) -> Self {
        Self {
            because: Some(because.to_owned()),
            hint: LITERAL_BRACE.to_owned(),
        }
    }
}

const LITERAL_BRACE: &str = "write \\{ for a literal brace";

fn form(content: &str) -> Result<PlaceholderForm, Wrong> {
    let name = leading_name(content);
    let rest = &content[name.len()..];
    if !name.is_empty() {
        if let Some(otherwise) = rest.strip_prefix("??") {
            return Ok(PlaceholderForm::Fallback {
                name: name.to_owned(),
                otherwise: otherwise.to_owned(),
            });
        }
        if let Some(form) = value(name, rest)? {
            return Ok(form);
        }
        if let Some(stage) = rest
            .strip_prefix('.')
            .filter(|stage| name == "stages" && is_name(stage))
        {
            return Ok(PlaceholderForm::Stage {
                name: stage.to_owned(),
            });
        }
        if rest == ".length" {
            return Ok(PlaceholderForm::Length {
                name: name.to_owned(),
            });
        }
        if let Some(index) = rest
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
        {
            return item(name, index);
        }
    }
    if let Some(choice) = choice(content) {
        return Ok(choice);
    }
    if expression::has_operator(content) {
        return arithmetic(content);
    }
    Err(unknown(content))
}

fn value(name: &str, rest: &str) -> Result<Option<PlaceholderForm>, Wrong> {
    let form = |declared, default: Option<&str>, difference| PlaceholderForm::Value {
        name: name.to_owned(),
        declared,
        default: default.map(str::to_owned),
        difference,
    };
    if rest.is_empty() {
        let difference = name
            .contains('-')
            .then(|| expression::parse(name, &|_| false).ok())
            .flatten();
        return Ok(Some(form(None, None, difference)));
    }
    if let Some(default) = rest.strip_prefix('=') {
        return Ok(Some(form(None, Some(default), None)));
    }
    let Some(typed) = rest.strip_prefix(':') else {
        return Ok(None);
    };
    let (ty, default) = split_type(typed);
    let declared = ValueType::parse(ty).map_err(|because| {
        let hint = format!("{}; {LITERAL_BRACE}", ValueType::suggestion(ty));
        Wrong {
            because: Some(because),
            hint,
        }
    })?;
    Ok(Some(form(Some(declared), default, None)))
}

/// `int=5` as type and default; an `=` inside `enum(…)` belongs to the type.
pub(crate) fn split_type(text: &str) -> (&str, Option<&str>) {
    let from = if text.starts_with("enum(") {
        text.find(')').unwrap_or(0)
    } else {
        0
    };
    match text[from..].find('=') {
        Some(at) => (&text[..from + at], Some(&text[from + at + 1..])),
        None => (text, None),
    }
}

fn item(name: &str, index: &str) -> Result<PlaceholderForm, Wrong> {
    let literal = !index.is_empty() && index.bytes().all(|b| b.is_ascii_digit());
    let index = if literal {
        ItemIndex::Literal(index.parse().map_err(|_| "the index is too large")?)
    } else if is_name(index) {
        ItemIndex::Name(index.to_owned())
    } else {
        return Err(Wrong {
            because: Some("an index is a number or one name".to_owned()),
            hint: format!("write {{{name}[0]}} or {{{name}[index]}}; {LITERAL_BRACE}"),
        });
    };
    Ok(PlaceholderForm::Item {
        name: name.to_owned(),
        index,
    })
}

fn choice(content: &str) -> Option<PlaceholderForm> {
    let (condition, arms) = content.split_once('?')?;
    let (yes, no) = arms.split_once(':')?;
    let condition = condition.trim();
    let bare = condition
        .strip_prefix('!')
        .map_or(condition, str::trim_start);
    is_name(bare).then(|| PlaceholderForm::Choice {
        name: bare.to_owned(),
        negated: condition.starts_with('!'),
        yes: yes.to_owned(),
        no: no.to_owned(),
    })
}

fn arithmetic(content: &str) -> Result<PlaceholderForm, Wrong> {
    let bare = content.trim_start_matches('_');
    let underscores = content.len() - bare.len();
    let padded = bare.starts_with('(') && underscores <= MAX_PADDING;
    let (source, width) = if padded {
        (bare, padded_width(underscores))
    } else {
        (content, 0)
    };
    let expression = expression::parse(source, &|_| false)?;
    Ok(PlaceholderForm::Expression {
        expression,
        source: source.to_owned(),
        width,
    })
}

fn unknown(content: &str) -> Wrong {
    let trimmed = content.trim();
    let hint = if trimmed != content && is_name(trimmed) {
        format!("write {{{trimmed}}} without the spaces, or \\{{ for a literal brace")
    } else if leading_name(content).len() + 1 < content.len() && content.contains('?') {
        format!("a choice is {{name?yes:no}}, a fallback {{name??text}}; {LITERAL_BRACE}")
    } else {
        LITERAL_BRACE.to_owned()
    };
    Wrong {
        because: None,
        hint,
    }
}

fn no_placeholder(
    word: &CommandWord,
    whole: &str,
    content: &str,
    at: usize,
    wrong: Wrong,
) -> TextProblem {
    let mut message = format!(
        "{} at column {}",
        text::quoted(&format!("{{{content}}}")),
        column(whole, at)
    );
    if word.number > 0 {
        message = format!(
            "{message} (word {}: {})",
            word.number,
            text::quoted(&word.text)
        );
    }
    message.push_str(" is no placeholder");
    if let Some(because) = wrong.because {
        message.push_str(": ");
        message.push_str(&because);
    }
    TextProblem {
        code: "unknown-placeholder",
        message,
        hint: wrong.hint,
        at,
    }
}

#[cfg(test)]
mod tests;
