//! The client's types, from ours.

use ts_rs::{Config as Spelling, TS};

use super::{
    About, ActiveAnswer, ActiveRequest, Artifact, BudgetRequest, CastState, CastView, CheckAnswer,
    CheckRequest, Config, ConfigFile, Conflict, ConflictAnswer, Doing, Done, ErrorBody,
    ForkRequest, Forked, GoOnRequest, Issue, Loadout, Materia, MessageRequest, Output, QuestChange,
    QuestRequest, QuestsRun, RunView, SaveAnswer, SaveEdit, SaveRequest, SectionName, StartRequest,
    TargetName, Told, ToolRequest, TrialAnswer, TrialRequest, TrustRequest,
};

macro_rules! declared {
    ($($name:ty),* $(,)?) => {
        [$(format!("export {}\n", <$name as TS>::decl(&Spelling::default()))),*].join("\n")
    };
}

/// What `web/src/types.ts` says.
pub fn types() -> String {
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
        Output,
        ToolRequest,
        Doing,
    );
    format!(
        "// Written by the test `ui::the_clients_types_are_ours`; MATERIA_WRITE_REFERENCE=1 writes it anew.\n\n{all}"
    )
}
