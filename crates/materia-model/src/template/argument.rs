//! Argument declarations: `name`, `name:type`, `name=default`, `name:type=default`.
//!
//! Owns the grammar of `args` entries. Never decides which arguments a template has: `interface`
//! does.

use super::node::DeclaredArgument;
use super::origin::TextProblem;
use super::syntax::is_name;
use super::syntax::placeholder::split_type;
use super::value::ValueType;
use crate::text;

/// Parses a comma-separated list of declarations.
pub(crate) fn parse_list(list: &str) -> Result<Vec<DeclaredArgument>, TextProblem> {
    split_commas(list)
        .into_iter()
        .map(|(at, entry)| parse(entry, at))
        .collect()
}

/// Parses one declaration that begins at `at`.
fn parse(entry: &str, at: usize) -> Result<DeclaredArgument, TextProblem> {
    let trimmed = entry.trim();
    let at = at + (entry.len() - entry.trim_start().len());
    let name_end = trimmed.find([':', '=']).unwrap_or(trimmed.len());
    let (name, rest) = (trimmed[..name_end].trim_end(), &trimmed[name_end..]);
    if !is_name(name) {
        let message = format!("{} is no argument name", text::quoted(name));
        return Err(problem(
            "invalid-argument",
            message,
            "write `name`, `name:type` or `name:type=default`",
            at,
        ));
    }
    let (ty, default) = match rest.strip_prefix(':') {
        Some(typed) => split_type(typed),
        None => ("", rest.strip_prefix('=')),
    };
    let declared = if rest.starts_with(':') {
        Some(read_type(ty.trim(), at)?)
    } else {
        None
    };
    Ok(DeclaredArgument {
        name: name.to_owned(),
        ty: declared,
        default: default.map(|text| text.trim().to_owned()),
        at,
    })
}

fn read_type(ty: &str, at: usize) -> Result<ValueType, TextProblem> {
    ValueType::parse(ty)
        .map_err(|message| problem("unknown-type", message, &ValueType::suggestion(ty), at))
}

fn problem(code: &'static str, message: String, hint: &str, at: usize) -> TextProblem {
    TextProblem {
        code,
        message,
        hint: hint.to_owned(),
        at,
    }
}

/// Splits at commas outside of parentheses; each part has its offset.
fn split_commas(list: &str) -> Vec<(usize, &str)> {
    let mut parts = Vec::new();
    let (mut start, mut depth) = (0, 0usize);
    for (at, byte) in list.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                parts.push((start, &list[start..at]));
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push((start, &list[start..]));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelled(list: &str) -> Result<String, String> {
        let arguments =
            parse_list(list).map_err(|problem| format!("{} @{}", problem.message, problem.at))?;
        let spell = |argument: &DeclaredArgument| {
            let ty = argument
                .ty
                .as_ref()
                .map_or(String::new(), |ty| format!(":{ty}"));
            let default = argument
                .default
                .as_ref()
                .map_or(String::new(), |default| format!("={default}"));
            format!("{}{ty}{default}", argument.name)
        };
        Ok(arguments.iter().map(spell).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn declarations_are_read_and_commas_in_an_enum_do_not_split() {
        for (list, expected) in [
            ("file:path", "file:path"),
            ("a, b:int = 5 ,m:enum(x, y)=x", "a b:int=5 m:enum(x,y)=x"),
            ("a=k=v:w", "a=k=v:w"),
            ("m:enum(a=b,c)", "m:enum(a=b,c)"),
        ] {
            assert_eq!(spelled(list).unwrap(), expected);
        }
        assert_eq!(spelled("a, 1b").unwrap_err(), "`1b` is no argument name @3");
        assert_eq!(spelled("a:integer").unwrap_err(), "`integer` is no type @0");
        assert!(spelled("").is_err() && spelled("a,,b").is_err() && spelled("m:enum()").is_err());
    }
}
