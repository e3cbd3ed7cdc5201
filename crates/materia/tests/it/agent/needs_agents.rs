//! The real programs, each with every outcome of a turn.

mod casts;
mod turns;

use super::harness::Program;

/// Generates the same tests for each program.
macro_rules! each_program {
    ($($module:ident: $program:expr;)*) => {
        $(mod $module {
            use super::Program;

            const PROGRAM: Program = $program;

            #[test]
            fn a_turn_returns_text_and_usage() {
                super::turns::text(PROGRAM);
            }

            #[test]
            fn a_tool_writes_a_file_and_every_request_is_counted() {
                super::turns::tool(PROGRAM);
            }

            #[test]
            fn two_turns_in_one_session() {
                super::turns::session(PROGRAM);
            }

            #[test]
            fn errors_of_the_provider_have_their_own_outcomes() {
                super::turns::refusals(PROGRAM);
            }

            #[test]
            fn transient_errors_are_retried() {
                super::turns::passing_faults(PROGRAM);
            }

            #[test]
            fn a_stall_ends_at_our_timeout() {
                super::turns::stall(PROGRAM);
            }

            #[test]
            fn an_interrupt_leaves_no_process() {
                super::turns::interrupts(PROGRAM);
            }

            #[test]
            fn the_tools_of_a_killed_agent_end() {
                super::turns::killed(PROGRAM);
            }

            #[test]
            fn the_scope_limits_the_tools() {
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
