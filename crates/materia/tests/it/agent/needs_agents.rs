//! The real programs, each through every way a turn can go.

mod casts;
mod turns;

use super::harness::Program;

/// The same tests for each program.
macro_rules! each_program {
    ($($module:ident: $program:expr;)*) => {
        $(mod $module {
            use super::Program;

            const PROGRAM: Program = $program;

            #[test]
            fn a_text_turn() {
                super::turns::text(PROGRAM);
            }

            #[test]
            fn a_tool_writes_a_file_and_every_call_is_counted() {
                super::turns::tool(PROGRAM);
            }

            #[test]
            fn two_turns_in_one_session() {
                super::turns::session(PROGRAM);
            }

            #[test]
            fn what_a_provider_refuses_is_told_as_it_was() {
                super::turns::refusals(PROGRAM);
            }

            #[test]
            fn what_passes_is_waited_for() {
                super::turns::passing_faults(PROGRAM);
            }

            #[test]
            fn a_stall_ends_at_our_timeout() {
                super::turns::stall(PROGRAM);
            }

            #[test]
            fn an_interrupt_leaves_nothing() {
                super::turns::interrupts(PROGRAM);
            }

            #[test]
            fn a_killed_agent_takes_its_tools_along() {
                super::turns::killed(PROGRAM);
            }

            #[test]
            fn tools_are_what_the_scope_says() {
                super::turns::scopes(PROGRAM);
            }
        })*
    };
}

each_program! {
    pi: Program::PiNew;
    pi_old: Program::PiOld;
    claude: Program::Claude;
    codex: Program::Codex;
    acp: Program::Acp;
}
