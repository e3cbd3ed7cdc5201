//! Integer expressions: `+ - * / %`, parentheses, unary minus, integers and names (T8).
//!
//! Owns their grammar and arithmetic. Overflow and division by zero are errors. Bounded in length
//! and depth, so hostile text cannot exhaust the stack. Never looks a name up itself.

use super::leading_name;

/// The maximum length of an expression, in bytes.
pub(crate) const MAX_LENGTH: usize = 1_000;
const MAX_DEPTH: usize = 50;

/// A parsed expression.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Expression {
    Int(i64),
    Name(String),
    Negative(Box<Self>),
    Binary(Operator, Box<Self>, Box<Self>),
}

/// A binary operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

/// Why an expression has no value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ExpressionError<E> {
    Zero,
    Overflow,
    Name(E),
}

/// Whether a text contains an operator.
pub(crate) fn has_operator(text: &str) -> bool {
    text.bytes()
        .any(|b| matches!(b, b'(' | b')' | b'+' | b'-' | b'*' | b'/' | b'%'))
}

/// Parses an expression. `is_value` decides which hyphenated names are names, not subtractions.
pub(crate) fn parse(
    text: &str,
    is_value: &dyn Fn(&str) -> bool,
) -> Result<Expression, &'static str> {
    if text.len() > MAX_LENGTH {
        return Err("the expression is longer than 1000 bytes");
    }
    let mut parser = Parser {
        rest: text.trim_start(),
        is_value,
        depth: 0,
    };
    let expression = parser.sum()?;
    if parser.rest.is_empty() {
        Ok(expression)
    } else {
        Err("an operator is expected")
    }
}

impl Expression {
    /// Evaluates the expression; `int` looks names up.
    pub(crate) fn evaluate<E>(
        &self,
        int: &mut dyn FnMut(&str) -> Result<i64, E>,
    ) -> Result<i64, ExpressionError<E>> {
        match self {
            Self::Int(value) => Ok(*value),
            Self::Name(name) => int(name).map_err(ExpressionError::Name),
            Self::Negative(inner) => inner
                .evaluate(int)?
                .checked_neg()
                .ok_or(ExpressionError::Overflow),
            Self::Binary(operator, left, right) => {
                let (left, right) = (left.evaluate(int)?, right.evaluate(int)?);
                operator.apply(left, right)
            }
        }
    }

    /// Every name in it, in the order written.
    pub(crate) fn names<'a>(&'a self, found: &mut Vec<&'a str>) {
        match self {
            Self::Int(_) => {}
            Self::Name(name) => found.push(name),
            Self::Negative(inner) => inner.names(found),
            Self::Binary(_, left, right) => {
                left.names(found);
                right.names(found);
            }
        }
    }
}

impl Operator {
    fn apply<E>(self, left: i64, right: i64) -> Result<i64, ExpressionError<E>> {
        if right == 0 && matches!(self, Self::Divide | Self::Remainder) {
            return Err(ExpressionError::Zero);
        }
        let result = match self {
            Self::Add => left.checked_add(right),
            Self::Subtract => left.checked_sub(right),
            Self::Multiply => left.checked_mul(right),
            Self::Divide => left.checked_div(right),
            Self::Remainder => left.checked_rem(right),
        };
        result.ok_or(ExpressionError::Overflow)
    }
}

struct Parser<'a> {
    rest: &'a str,
    is_value: &'a dyn Fn(&str) -> bool,
    depth: usize,
}

impl Parser<'_> {
    fn sum(&mut self) -> Result<Expression, &'static str> {
        let mut left = self.product()?;
        loop {
            let operator = match self.rest.bytes().next() {
                Some(b'+') => Operator::Add,
                Some(b'-') => Operator::Subtract,
                _ => return Ok(left),
            };
            self.advance(1);
            left = Expression::Binary(operator, Box::new(left), Box::new(self.product()?));
        }
    }

    fn product(&mut self) -> Result<Expression, &'static str> {
        let mut left = self.operand()?;
        loop {
            let operator = match self.rest.bytes().next() {
                Some(b'*') => Operator::Multiply,
                Some(b'/') => Operator::Divide,
                Some(b'%') => Operator::Remainder,
                _ => return Ok(left),
            };
            self.advance(1);
            left = Expression::Binary(operator, Box::new(left), Box::new(self.operand()?));
        }
    }

    fn operand(&mut self) -> Result<Expression, &'static str> {
        match self.rest.bytes().next() {
            Some(b'-') => {
                self.nested(|parser| Ok(Expression::Negative(Box::new(parser.operand()?))))
            }
            Some(b'(') => self.nested(|parser| {
                let inner = parser.sum()?;
                if !parser.rest.starts_with(')') {
                    return Err("a `)` is missing");
                }
                parser.advance(1);
                Ok(inner)
            }),
            Some(b'0'..=b'9') => self.integer(),
            _ => self.name(),
        }
    }

    fn nested(
        &mut self,
        inner: impl FnOnce(&mut Self) -> Result<Expression, &'static str>,
    ) -> Result<Expression, &'static str> {
        if self.depth == MAX_DEPTH {
            return Err("it nests too deep");
        }
        self.depth += 1;
        self.advance(1);
        let expression = inner(self);
        self.depth -= 1;
        expression
    }

    fn integer(&mut self) -> Result<Expression, &'static str> {
        let end = self
            .rest
            .bytes()
            .position(|b| !b.is_ascii_digit())
            .unwrap_or(self.rest.len());
        let value = self.rest[..end]
            .parse()
            .map_err(|_| "the number is too large")?;
        self.advance(end);
        Ok(Expression::Int(value))
    }

    fn name(&mut self) -> Result<Expression, &'static str> {
        let longest = leading_name(self.rest);
        if longest.is_empty() {
            return Err("a number or a name is expected");
        }
        let shortest = longest.find('-').unwrap_or(longest.len());
        let cuts = longest
            .match_indices('-')
            .map(|(at, _)| at)
            .chain([longest.len()]);
        let known = cuts
            .filter(|end| *end > shortest && (self.is_value)(&longest[..*end]))
            .last();
        let end = known.unwrap_or(shortest);
        let name = longest[..end].to_owned();
        self.advance(end);
        Ok(Expression::Name(name))
    }

    fn advance(&mut self, bytes: usize) {
        self.rest = self.rest.get(bytes..).unwrap_or("").trim_start();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn value(text: &str) -> Result<i64, String> {
        let names = [("index", 3), ("a-b", 100), ("a", 5), ("b", 2)];
        let known = |name: &str| names.iter().any(|(known, _)| *known == name);
        let parsed = parse(text, &known).map_err(str::to_owned)?;
        let mut int = |name: &str| {
            names
                .iter()
                .find(|(known, _)| *known == name)
                .map(|(_, value)| *value)
                .ok_or_else(|| name.to_owned())
        };
        parsed
            .evaluate(&mut int)
            .map_err(|failure| format!("{failure:?}"))
    }

    #[test]
    fn t8_arithmetic_with_unary_minus_and_hyphenated_names() {
        for (text, expected) in [
            ("index+1", 4),
            ("index*2+1", 7),
            ("2*(index+1)", 8),
            ("index-1", 2),
            ("(index)-1", 2),
            ("2*index-1", 5),
            ("a-b", 100),
            ("a - b", 3),
            ("a-b-index", 97),
            ("b-a-1", -4),
            ("7/2", 3),
            ("-7/2", -3),
            ("-7%3", -1),
            ("3-5", -2),
            ("--1", 1),
            ("-(2)*-3", 6),
            ("(1)", 1),
        ] {
            assert_eq!(value(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn t8_zero_overflow_and_broken_text_are_errors() {
        assert_eq!(value("1/0").unwrap_err(), "Zero");
        assert_eq!(value("5%(index-3)").unwrap_err(), "Zero");
        assert_eq!(value("9223372036854775807+1").unwrap_err(), "Overflow");
        assert_eq!(
            value("(-9223372036854775807-1)/-1").unwrap_err(),
            "Overflow"
        );
        assert_eq!(value("path/to").unwrap_err(), "Name(\"path\")");
        for bad in [
            "",
            "1+",
            "(1+2",
            "2**3",
            "1 2",
            "f(1)",
            "1.5",
            "9223372036854775808",
            "a b",
            "é",
        ] {
            assert!(parse(bad, &|_| false).is_err(), "{bad} was accepted");
        }
        assert!(parse(&"(".repeat(MAX_LENGTH), &|_| false).is_err());
        assert!(parse(&"-".repeat(MAX_LENGTH), &|_| false).is_err());
        assert!(parse(&"1+".repeat(MAX_LENGTH), &|_| false).is_err());
    }

    proptest! {
        #[test]
        fn arbitrary_expressions_never_panic(text in "[0-9a-b()+*/% _-]{0,60}") {
            let _ = value(&text);
        }

        #[test]
        fn sums_and_products_agree_with_wide_arithmetic(a: i64, b: i64, c in 1..i64::MAX) {
            let spell = |n: i64| if n < 0 { format!("(-{})", n.unsigned_abs()) } else { n.to_string() };
            prop_assume!(a != i64::MIN && b != i64::MIN);
            let text = format!("{}+{}*{}/{}", spell(a), spell(b), spell(a), spell(c));
            let product = i128::from(b) * i128::from(a);
            let expected = i64::try_from(product).ok()
                .and_then(|product| a.checked_add(product / c));
            prop_assert_eq!(value(&text).ok(), expected);
        }
    }
}
