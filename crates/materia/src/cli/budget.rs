//! `materia budget`: shows or raises the limits of a cast.

use clap::Args;
use materia_engine::api::{ApiError, BudgetChange, CastBudgetRequest, ErrorKind, TokenLimit};

use super::config::Config;
use crate::view::{OutputFormat, Screen};
use crate::world::World;

/// Show what a cast may spend, or raise it, also while it runs
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  materia budget\n  materia budget 2M\n  materia budget +500k\n  \
    materia budget 2026-01-01T00-00 --cost 30\n\n\
    A number alone is a limit of tokens (k and M are understood, + adds to the limit that holds); anything else is a \
    cast. A running cast takes a new limit up before its next step. Only you can raise a budget: inside of a run or a \
    cast it is refused."
)]
pub(super) struct Budget {
    /// Its id or directory, and the new limit of tokens
    #[arg(value_name = "ID] [TOKENS", num_args = 0..=2)]
    words: Vec<String>,

    /// A new limit of money, in US dollars
    #[arg(long, value_name = "USD", value_parser = amount_of_money)]
    cost: Option<f64>,

    /// A new limit of turns
    #[arg(long, value_name = "N")]
    turns: Option<u64>,

    /// A new limit of minutes
    #[arg(long, value_name = "MIN", value_parser = amount_of_money)]
    minutes: Option<f64>,

    #[command(flatten)]
    config: Config,
}

impl Budget {
    pub(super) fn run(
        self,
        world: &World,
        screen: Screen,
        format: OutputFormat,
    ) -> Result<u8, ApiError> {
        let (cast, tokens) = parse(&self.words)?;
        let request = CastBudgetRequest {
            cast: cast.map(str::to_owned),
            change: BudgetChange {
                tokens,
                cost: self.cost,
                turns: self.turns,
                minutes: self.minutes,
            },
            config: self.config.named(),
        };
        screen.report(&world.engine().budget(&request)?, format);
        Ok(0)
    }
}

/// Splits the arguments into a cast and a limit.
fn parse(words: &[String]) -> Result<(Option<&str>, Option<TokenLimit>), ApiError> {
    match words {
        [] => Ok((None, None)),
        [only] => Ok(tokens(only).map_or((Some(only.as_str()), None), |limit| (None, Some(limit)))),
        [id, limit, ..] => match tokens(limit) {
            Some(limit) => Ok((Some(id), Some(limit))),
            None => {
                let message = format!(
                    "{} is no number of tokens",
                    materia_model::text::quoted(limit)
                );
                Err(ApiError::new(ErrorKind::Invalid, "usage", message)
                    .hint("write it like 500000, 500k, 2M or +500k"))
            }
        },
    }
}

/// Parses a limit: `500000`, `500k`, `1.5M`, `+200k`.
fn tokens(word: &str) -> Option<TokenLimit> {
    let (more, rest) = word
        .strip_prefix('+')
        .map_or((false, word), |rest| (true, rest));
    let (digits, unit) = match rest.chars().last()? {
        'k' | 'K' => (&rest[..rest.len() - 1], 1e3),
        'm' | 'M' => (&rest[..rest.len() - 1], 1e6),
        _ => (rest, 1.0),
    };
    let plain = digits.replace('_', "");
    let is_number = !plain.is_empty() && plain.chars().all(|c| c.is_ascii_digit() || c == '.');
    let number: f64 = is_number.then(|| plain.parse().ok()).flatten()?;
    let tokens = (number * unit).round();
    let limit = if more {
        TokenLimit::Add(tokens as u64)
    } else {
        TokenLimit::Set(tokens as u64)
    };
    (tokens <= 1e15).then_some(limit)
}

fn amount_of_money(word: &str) -> Result<f64, String> {
    let amount: f64 = word
        .parse()
        .map_err(|_| "write a number such as 20 or 7.5".to_owned())?;
    if amount.is_finite() && amount >= 0.0 {
        Ok(amount)
    } else {
        Err("write a number that is not negative".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_tokens_and_everything_else_is_a_cast() {
        assert_eq!(tokens("500k"), Some(TokenLimit::Set(500_000)));
        assert_eq!(tokens("+1.5M"), Some(TokenLimit::Add(1_500_000)));
        assert_eq!(tokens("4_000_000"), Some(TokenLimit::Set(4_000_000)));
        for word in [
            "2026-01-01",
            "",
            "+",
            "k",
            "1.2.3",
            "./cast",
            "é",
            "99999999999999999999",
        ] {
            assert_eq!(tokens(word), None, "{word}");
        }
    }
}
