//! The list of tools that a program offers.

use std::sync::Arc;

use super::{Candidate, Layer, Part};
use crate::contract::{ErasedTool, Registered, Stateless, Tool};

/// A list of tools, filled in explicitly.
#[derive(Clone, Default)]
pub struct Catalogue {
    built_in: Vec<Arc<dyn ErasedTool>>,
    /// The layer of each of the program's own tools, in the same order.
    layers: Vec<Layer>,
    /// The layer of what is listed now.
    layer: Layer,
    remote: Vec<Arc<dyn ErasedTool>>,
}

/// A tool that cannot be listed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CatalogueError {
    /// Providers refuse the name.
    #[error("`{0}` is not a name for a tool: use 1 to 64 letters, digits, `_` or `-`")]
    Name(String),
}

/// How many characters a tool's name may have: the smallest limit among providers.
const NAME_CHARS_MAX: usize = 64;

impl Catalogue {
    /// An empty list.
    #[must_use]
    pub fn new() -> Catalogue {
        Catalogue::default()
    }

    /// Lists a tool without state.
    pub fn add<T: Tool<State: Stateless>>(&mut self) -> &mut Catalogue {
        self.add_with::<T>(Stateless::nothing())
    }

    /// Lists a tool with the state that its calls will see.
    pub fn add_with<T: Tool>(&mut self, state: T::State) -> &mut Catalogue {
        self.push(Arc::new(Registered::<T>::new(state)));
        self
    }

    /// Lists tools that depend on feature switches: those that `fill` adds.
    pub fn layer(&mut self, layer: Layer, fill: impl FnOnce(&mut Catalogue)) -> &mut Catalogue {
        let outer = std::mem::replace(&mut self.layer, layer);
        fill(self);
        self.layer = outer;
        self
    }

    fn push(&mut self, tool: Arc<dyn ErasedTool>) {
        self.built_in.push(tool);
        self.layers.push(self.layer.clone());
    }

    /// Lists a tool of this program that is known only at run time.
    ///
    /// # Errors
    /// A name that providers refuse.
    pub fn add_erased(&mut self, tool: Arc<dyn ErasedTool>) -> Result<&mut Catalogue, CatalogueError> {
        check_name(&tool.form().name)?;
        self.push(tool);
        Ok(self)
    }

    /// Lists a tool of a remote server; it stands after the program's own, which win where names collide.
    ///
    /// # Errors
    /// A name that providers refuse.
    pub fn add_remote(&mut self, tool: Arc<dyn ErasedTool>) -> Result<&mut Catalogue, CatalogueError> {
        check_name(&tool.form().name)?;
        self.remote.push(tool);
        Ok(self)
    }

    /// The program's own tools, in the order they were added.
    #[must_use]
    pub fn built_in(&self) -> &[Arc<dyn ErasedTool>] {
        &self.built_in
    }

    /// Whether one of the program's own tools has this name.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.built_in.iter().any(|tool| tool.form().name == name)
    }

    /// A name that two of the program's own tools have, which switches can have listed in one session. Only the first
    /// would be in the pool.
    #[must_use]
    pub fn taken_twice(&self) -> Option<&str> {
        let named = || self.built_in.iter().map(|tool| tool.form().name.as_ref()).zip(&self.layers);
        let is_taken = |at: usize, name: &str, layer: &Layer| {
            named().take(at).any(|(earlier, its)| earlier == name && !its.excludes(layer))
        };
        (0..).zip(named()).find(|&(at, (name, layer))| is_taken(at, name, layer)).map(|(_, (name, _))| name)
    }

    /// Every tool, on its way into a pool.
    pub(super) fn candidates(&self) -> Vec<Candidate> {
        let own = self.built_in.iter().zip(&self.layers).map(|(tool, layer)| Candidate {
            tool: Arc::clone(tool),
            part: Part::BuiltIn,
            layer: layer.clone(),
        });
        own.chain(self.remote.iter().map(Candidate::remote)).collect()
    }

    /// The tools of remote servers, in the order they were added.
    #[must_use]
    pub fn remote(&self) -> &[Arc<dyn ErasedTool>] {
        &self.remote
    }
}

impl std::fmt::Debug for Catalogue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list()
            .entries(self.built_in.iter().chain(&self.remote).map(|tool| &tool.form().name))
            .finish()
    }
}

/// Whether every provider takes this name.
pub(super) fn check_name(name: &str) -> Result<(), CatalogueError> {
    let legal = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let fits = (1..=NAME_CHARS_MAX).contains(&name.len()) && name.chars().all(legal);
    if fits { Ok(()) } else { Err(CatalogueError::Name(name.to_owned())) }
}
