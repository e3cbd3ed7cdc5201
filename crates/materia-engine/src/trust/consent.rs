//! Asks the user to trust the files of a project, before they run (S1).
//!
//! Owns when the user is asked and what the answer means. Front ends only show the question.

use super::project::{ProjectTrust, TrustReport, grant};
use super::refusal::Error;
use crate::clock::Clock;
use crate::config::ConfigFiles;
use crate::home::Home;

/// The user's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrustAnswer {
    /// They trust what they were shown.
    Agreed,
    /// They do not.
    Declined,
    /// This front end cannot ask.
    NotAsked,
}

/// A front end that can ask its user for trust.
pub trait TrustObserver {
    /// Shows what would run and asks whether the user trusts it.
    fn confirm_trust(&mut self, _report: &TrustReport) -> TrustAnswer {
        TrustAnswer::NotAsked
    }
}

/// A front end that never asks.
impl TrustObserver for () {}

/// Refuses the project's files unless the user trusts them unchanged, or agrees now.
pub fn require_confirmed(
    files: &ConfigFiles,
    home: Option<&Home>,
    clock: &Clock,
    observer: &mut dyn TrustObserver,
) -> Result<(), Error> {
    let project = ProjectTrust::inspect(files, home)?;
    match (project.require(), home) {
        (Err(refusal @ Error::Refused(_)), Some(home)) => {
            match confirm(files, home, project.report(), clock, observer) {
                Err(Error::NoTerminal) => Err(refusal),
                answered => answered,
            }
        }
        (required, _) => required,
    }
}

/// Shows the report to the user, and records the trust if they agree.
pub fn confirm(
    files: &ConfigFiles,
    home: &Home,
    shown: &TrustReport,
    clock: &Clock,
    observer: &mut dyn TrustObserver,
) -> Result<(), Error> {
    match observer.confirm_trust(shown) {
        // Compute the closure again: files may have changed while the user was reading.
        TrustAnswer::Agreed => grant(files, home, shown, clock),
        TrustAnswer::Declined => Err(Error::Declined),
        TrustAnswer::NotAsked => Err(Error::NoTerminal),
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::config::{PROJECT_FILE, Places};
    use crate::home::HomeVariables;
    use crate::store::{atomic, dir};
    use crate::trust::project::TrustStanding;

    /// Writes a script when it is asked, and agrees.
    struct Agreeing(PathBuf, &'static str);

    impl TrustObserver for Agreeing {
        fn confirm_trust(&mut self, report: &TrustReport) -> TrustAnswer {
            assert_eq!(report.standing, TrustStanding::Untrusted);
            atomic::write(&self.0, self.1.as_bytes()).unwrap();
            TrustAnswer::Agreed
        }
    }

    #[test]
    fn s1_a_file_that_changes_while_the_user_reads_is_not_trusted() {
        let temp = tempfile::tempdir().unwrap();
        let (script, config) = (temp.path().join("a.sh"), temp.path().join(PROJECT_FILE));
        dir::create_private(config.parent().unwrap()).unwrap();
        atomic::write(&script, b"true").unwrap();
        let text = r#"{"materia": {"M": {"type": "utility", "command": ["sh", "a.sh"]}}}"#;
        atomic::write(&config, text.as_bytes()).unwrap();
        let home = Home::locate(&HomeVariables {
            home: Some(temp.path().join("home")),
            ..HomeVariables::default()
        })
        .unwrap();
        let files = ConfigFiles::find(Places {
            home: Some(&home),
            project: temp.path(),
            environment: None,
            flag: None,
        })
        .unwrap();
        let require = |observer: &mut dyn TrustObserver| {
            require_confirmed(&files, Some(&home), &Clock::system(), observer)
        };
        assert!(matches!(require(&mut ()), Err(Error::Refused(_))));
        let mut changing = Agreeing(script.clone(), "false");
        assert!(matches!(require(&mut changing), Err(Error::Refused(_))));
        require(&mut Agreeing(script, "false")).unwrap();
        require(&mut ()).unwrap();
    }
}
