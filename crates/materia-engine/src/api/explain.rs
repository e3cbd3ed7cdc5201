//! `explain`: what a template would run, without running it.

use serde_json::Value;

use super::{ApiError, Engine};
use crate::recipe::{self, TemplateRequest, TemplateSource};

pub use crate::recipe::ExplainReport;

impl Engine {
    /// What a template would run with these values.
    pub fn explain(&self, request: TemplateRequest) -> Result<ExplainReport, ApiError> {
        let context = self.source_context();
        Ok(recipe::explain(request, &context, self.user_home())?)
    }

    /// The JSON Schema of a template's arguments.
    pub fn template_schema(&self, source: &TemplateSource) -> Result<Value, ApiError> {
        Ok(source.schema(&self.source_context())?)
    }
}
