//! The client's types are ours.

use ts_rs::{Config as Spelling, TS};

use super::{
    About, ActiveAnswer, ActiveRequest, Artifact, BudgetRequest, CastState, CastView, CheckAnswer,
    CheckRequest, Config, ConfigFile, Conflict, ConflictAnswer, Done, ErrorBody, ForkRequest, Forked,
    GoOnRequest, Issue, Loadout, Materia, MessageRequest, QuestChange, QuestRequest, QuestsRun, RunView,
    SaveAnswer, SaveEdit, SaveRequest, SectionName, StartRequest, TargetName, Told, TrialAnswer,
    TrialRequest, TrustRequest,
};

macro_rules! declared {
    ($($name:ty),* $(,)?) => {
        [$(format!("export {}\n", <$name as TS>::decl(&Spelling::default()))),*].join("\n")
    };
}

fn types() -> String {
    let all = declared!(
        About,
        Issue,
        Config,
        Loadout,
        Materia,
        ConfigFile,
        SectionName,
        TargetName,
        CheckRequest,
        CheckAnswer,
        SaveRequest,
        SaveEdit,
        SaveAnswer,
        ConflictAnswer,
        ErrorBody,
        Conflict,
        ActiveRequest,
        ActiveAnswer,
        TrialRequest,
        TrialAnswer,
        StartRequest,
        GoOnRequest,
        TrustRequest,
        Done,
        CastView,
        Artifact,
        Told,
        CastState,
        ForkRequest,
        Forked,
        BudgetRequest,
        QuestRequest,
        QuestChange,
        QuestsRun,
        MessageRequest,
        RunView,
    );
    format!(
        "// Written by a test of `crates/materia/src/web/dto.rs`; MATERIA_WRITE_REFERENCE=1 writes it anew.\n\n{all}"
    )
}

#[test]
fn the_clients_types_are_ours() {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/src/types.ts");
    if std::env::var_os("MATERIA_WRITE_REFERENCE").is_some() {
        std::fs::write(&file, types()).unwrap();
    }
    let written = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(written == types(), "web/src/types.ts is not current: MATERIA_WRITE_REFERENCE=1 writes it anew");
}
