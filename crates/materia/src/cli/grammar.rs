//! The verbs as a grammar that is built when it is asked for.
//!
//! Owns the shape of the list: a name, the type that reads its words, and in brackets an own line
//! of help with examples of its own, or a setting. The whole tree of forty verbs takes longer to
//! build than most of them take to run, so each verb's own words are only put together once its
//! name was read.

/// Declares the enum of verbs, each with the words of its own left for later.
macro_rules! verbs {
    ($($variant:ident($words:ty) = $name:literal $(($about:literal $(, $examples:literal)?))? $([$set:ident])?;)*) => {
        #[derive(Debug)]
        enum Verb {
            $($variant($words),)*
        }

        impl Verb {
            /// The grammar of one verb alone.
            fn alone(name: &str) -> Option<clap::Command> {
                match name {
                    $($name => Some($crate::cli::grammar::later($name, |verb| {
                        <$words as clap::Args>::augment_args(verb)$(.about($about)$(.after_help($examples))?)?
                    })),)*
                    _ => None,
                }
            }
        }

        impl clap::FromArgMatches for Verb {
            fn from_arg_matches(matches: &clap::ArgMatches) -> Result<Self, clap::Error> {
                Self::from_arg_matches_mut(&mut matches.clone())
            }

            fn from_arg_matches_mut(matches: &mut clap::ArgMatches) -> Result<Self, clap::Error> {
                let missing = || clap::Error::raw(clap::error::ErrorKind::MissingSubcommand, "a command is missing");
                let (name, mut words) = matches.remove_subcommand().ok_or_else(missing)?;
                match name.as_str() {
                    $($name => <$words as clap::FromArgMatches>::from_arg_matches_mut(&mut words).map(Self::$variant),)*
                    _ => Err(clap::Error::raw(clap::error::ErrorKind::InvalidSubcommand, format!("there is no `{name}`"))),
                }
            }

            fn update_from_arg_matches(&mut self, matches: &clap::ArgMatches) -> Result<(), clap::Error> {
                *self = Self::from_arg_matches(matches)?;
                Ok(())
            }
        }

        impl clap::Subcommand for Verb {
            fn augment_subcommands(grammar: clap::Command) -> clap::Command {
                grammar$(.subcommands(Self::alone($name)$(.map(|verb| verb.$set(true)))?))*
            }

            fn augment_subcommands_for_update(grammar: clap::Command) -> clap::Command {
                Self::augment_subcommands(grammar)
            }

            fn has_subcommand(name: &str) -> bool {
                [$($name),*].contains(&name)
            }
        }
    };
}

pub(super) use verbs;

/// The words of a verb that takes none.
#[derive(Debug, clap::Args)]
pub(super) struct Nothing {}

/// A verb whose words are put together when it is asked for.
pub(super) fn later(
    name: &'static str,
    words: fn(clap::Command) -> clap::Command,
) -> clap::Command {
    clap::Command::new(name).defer(words)
}
