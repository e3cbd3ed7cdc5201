//! The roles that ship with the program, as prompts.
//!
//! Owns nothing: the roles are the shipped config's. A person's own roles stay with the person.

use materia_engine::config;
use materia_model::loadout::Config;
use rmcp::model::{GetPromptResult, Prompt, PromptArgument, PromptMessage, Role};

/// One role.
struct Shipped {
    id: String,
    description: String,
    prompt: String,
}

fn shipped() -> Vec<Shipped> {
    let layers = [config::shipped()];
    let config = Config::load(&layers);
    let roles = config.materia().filter_map(|materia| {
        let agent = materia.agent()?;
        let description = materia
            .description
            .clone()
            .unwrap_or_else(|| materia.title().to_owned());
        Some(Shipped {
            id: materia.id.clone(),
            description,
            prompt: agent.prompt.clone(),
        })
    });
    roles.collect()
}

/// The roles there are.
pub(super) fn list() -> Vec<Prompt> {
    let request = || PromptArgument::new("request").with_description("What should be done");
    let prompt =
        |role: Shipped| Prompt::new(role.id, Some(role.description), Some(vec![request()]));
    shipped().into_iter().map(prompt).collect()
}

/// One role, with a request where there is one.
pub(super) fn get(name: &str, request: Option<&str>) -> Option<GetPromptResult> {
    let role = shipped().into_iter().find(|role| role.id == name)?;
    let text = match request {
        Some(request) => format!("{}\n\n{request}", role.prompt),
        None => role.prompt,
    };
    let messages = vec![PromptMessage::new_text(Role::User, text)];
    Some(GetPromptResult::new(messages).with_description(role.description))
}
