//! The roles that ship with the program, as prompts.
//!
//! Owns the form of a prompt. Only shipped roles are listed; those of the user's config are not.

use materia_engine::api::RoleReport;
use rmcp::model::{GetPromptResult, Prompt, PromptArgument, PromptMessage, Role};

/// All shipped roles.
pub(super) fn list(roles: Vec<RoleReport>) -> Vec<Prompt> {
    let request = || PromptArgument::new("request").with_description("What should be done");
    let prompt =
        |role: RoleReport| Prompt::new(role.id, Some(role.description), Some(vec![request()]));
    roles.into_iter().map(prompt).collect()
}

/// One role, with the request if there is one.
pub(super) fn get(role: RoleReport, request: Option<&str>) -> GetPromptResult {
    let text = match request {
        Some(request) => format!("{}\n\n{request}", role.prompt),
        None => role.prompt,
    };
    let messages = vec![PromptMessage::new_text(Role::User, text)];
    GetPromptResult::new(messages).with_description(role.description)
}
