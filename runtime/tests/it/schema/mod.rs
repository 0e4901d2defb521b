//! Schemas and the reading of inputs: what is accepted, converted, refused, and how that is told.

/// Tools whose inputs are looked at, and which do nothing.
macro_rules! tools {
    ($($name:ident),*) => { $(impl Tool for $name {
        type Output = String;

        async fn call(&self, _cx: &Cx<'_, Self>) -> Result<String, ToolError> {
            Ok(String::new())
        }
    })* };
}

mod aliases;
mod arguments;
mod authored;
mod careless;
mod contract_checks;
mod entropy;
mod generate;
mod hostile;
mod in_a_session;
mod leniencies;
mod map_order;
mod profiles;
mod reported;
mod shown;
mod types;
mod zoo;
