//! `tool`: recipes that agents can call: listed, called, registered, changed, removed.

use materia_model::text;
use serde_json::{Map, Value};

use super::{ApiError, Engine};
use crate::execute::RunObserver;
use crate::process::ProcessSet;
use crate::recipe::tool::{self, NotCalled, ToolCall};
use crate::recipe::{NotResolved, TemplateValues};
use crate::registry;

pub use crate::recipe::registration::RegisterToolRequest;
pub use crate::recipe::tool::{DraftListReport, ToolCallReport, ToolListReport};
pub use crate::registry::{ToolChangeReport, ToolDefinition, ToolWatcher};

/// A tool to call.
#[derive(Debug, Default)]
pub struct ToolCallRequest {
    /// Its name.
    pub name: String,
    /// Its arguments.
    pub values: TemplateValues,
    /// Its arguments as `key=value` words; they win over `values`.
    pub arguments: Vec<String>,
}

/// A draft that becomes a tool.
#[derive(Debug, Clone, Default)]
pub struct PromoteToolRequest {
    /// The draft's name.
    pub draft: String,
    /// The tool's name; without it, the draft's.
    pub name: Option<String>,
    /// Whether a tool of that name is replaced.
    pub update: bool,
}

impl Engine {
    /// Lists the tools.
    pub fn tool_list(&self) -> Result<ToolListReport, ApiError> {
        Ok(tool::list(&self.library()?))
    }

    /// The tools as an agent is offered them.
    pub fn tool_definitions(&self) -> Result<Vec<ToolDefinition>, ApiError> {
        Ok(registry::tools(&registry::survey(&self.library()?)))
    }

    /// Watches for changes of the tools.
    pub fn watch_tools(&self) -> Result<ToolWatcher, ApiError> {
        ToolWatcher::new(&self.library()?).map_err(|error| ApiError::system(&error))
    }

    /// Lists the drafts that could become tools.
    pub fn tool_drafts(&self) -> Result<DraftListReport, ApiError> {
        Ok(tool::drafts(&self.library()?))
    }

    /// Calls a tool in the foreground and waits for it.
    pub fn tool_call(
        &self,
        request: ToolCallRequest,
        observer: &mut dyn RunObserver,
    ) -> Result<ToolCallReport, ApiError> {
        let ToolCallRequest {
            name,
            values,
            arguments,
        } = request;
        let values = values.read(&self.source_context())?;
        let called = self.call_tool(&name, values, &arguments, observer)?;
        called.map_err(|error| {
            let missing = matches!(error, NotCalled::Recipe(NotResolved::NotFound(_)));
            let mut error = ApiError::from(error);
            if missing {
                error.message = format!("there is no tool {}", text::quoted(&name));
                let near = error.hint.filter(|hint| hint.starts_with("did you mean"));
                error.hint = near.or_else(|| Some("`materia tool list` has them".to_owned()));
            }
            error
        })
    }

    /// Calls a tool, or says why it was not called.
    pub(crate) fn call_tool(
        &self,
        name: &str,
        values: Map<String, Value>,
        arguments: &[String],
        observer: &mut dyn RunObserver,
    ) -> Result<Result<ToolCallReport, NotCalled>, ApiError> {
        let call = ToolCall {
            library: &self.library()?,
            home: &self.home()?,
            cwd: self.cwd_or_root(),
            home_dir: self.user_home(),
            name,
            values,
            arguments,
            clock: self.clock(),
        };
        let mut processes = ProcessSet::foreground().map_err(|error| ApiError::system(&error))?;
        Ok(tool::call(call, &mut processes, observer))
    }

    /// Makes a recipe a tool, or changes a tool.
    pub fn tool_register(
        &self,
        request: RegisterToolRequest,
    ) -> Result<ToolChangeReport, ApiError> {
        let registration = request.read(&self.source_context())?;
        Ok(registry::register(&self.library()?, &registration)?)
    }

    /// Removes a tool.
    pub fn tool_remove(&self, name: &str) -> Result<ToolChangeReport, ApiError> {
        Ok(registry::remove(&self.library()?, name)?)
    }

    /// Makes a draft a tool.
    pub fn tool_promote(&self, request: &PromoteToolRequest) -> Result<ToolChangeReport, ApiError> {
        let PromoteToolRequest {
            draft,
            name,
            update,
        } = request;
        let library = self.library()?;
        Ok(registry::promote(
            &library,
            draft,
            name.as_deref(),
            *update,
        )?)
    }
}
