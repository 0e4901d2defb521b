//! What of a pool is sent to the model, what it must load first, and how it finds that.

use std::fmt;
use std::sync::Arc;

use super::loading::{Backend, SEARCH_TOOL};
use super::search::{Query, SearchDoc, SearchIndex};
use super::{Pool, Pooled, UnknownTool};

/// A call of a tool whose schema the model has never seen.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct NotLoaded {
    /// The tool's name.
    pub name: String,
}

/// What a search for tools came to.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// The tools, best first.
    pub tools: Vec<Arc<Pooled>>,
    /// The names that were asked for and are none.
    pub unknown: Vec<UnknownTool>,
}

/// The tools of a pool that words find, and their places in it.
#[derive(Debug)]
pub(super) struct Searched {
    index: SearchIndex,
    places: Vec<usize>,
}

impl Pool {
    /// The definitions as the model gets them, one JSON object a tool: the same bytes all through the session, and what
    /// is loaded later behind them.
    #[must_use]
    pub fn definitions(&self) -> Vec<Arc<str>> {
        let all = self.tools.iter().zip(&self.deferred);
        match self.backend() {
            Backend::Native => {
                let of = |(tool, is_deferred): (&Arc<Pooled>, &bool)| match is_deferred {
                    true => Arc::clone(tool.deferred()),
                    false => Arc::clone(tool.definition()),
                };
                all.map(of).collect()
            }
            Backend::Emulated => {
                let whole = all.filter(|(_, is_deferred)| !**is_deferred).map(|(tool, _)| tool.definition());
                let mut sent: Vec<Arc<str>> = whole.map(Arc::clone).collect();
                if self.defers_any {
                    let names = self.loaded.names();
                    let places = names.iter().filter_map(|name| self.place(name));
                    let loaded = places.filter(|place| self.deferred[*place]);
                    sent.extend(loaded.map(|place| Arc::clone(self.tools[place].definition())));
                }
                sent
            }
        }
    }

    /// The definitions of a session's beginning as one JSON array, made once: nothing is copied after that. What was
    /// loaded since is not in it.
    #[must_use]
    pub fn list(&self) -> &Arc<str> {
        self.list.get_or_init(|| {
            let all = self.tools.iter().zip(&self.deferred);
            let sent: Vec<&str> = all
                .filter_map(|(tool, is_deferred)| match (is_deferred, self.backend()) {
                    (false, _) => Some(tool.definition().as_ref()),
                    (true, Backend::Native) => Some(tool.deferred().as_ref()),
                    (true, Backend::Emulated) => None,
                })
                .collect();
            format!("[{}]", sent.join(",")).into()
        })
    }

    /// How deferred tools are told to the model.
    #[must_use]
    pub fn backend(&self) -> Backend {
        self.deferral.map(|deferral| deferral.backend).unwrap_or_default()
    }

    /// Whether a tool is deferred in this session, loaded since or not.
    #[must_use]
    pub fn is_deferred(&self, name: &str) -> bool {
        self.place(name).is_some_and(|place| self.deferred[place])
    }

    /// The own name of the tool that a name means, where it is deferred in this session.
    pub(crate) fn deferred(&self, name: &str) -> Option<String> {
        let place = self.place(name).filter(|place| self.deferred[*place])?;
        Some(self.tools[place].form().name.clone().into_owned())
    }

    /// Whether the model knows a tool well enough to call it.
    ///
    /// # Errors
    /// [`NotLoaded`], which says how to load it.
    pub fn check_loaded(&self, tool: &Pooled) -> Result<(), NotLoaded> {
        // Where nothing is deferred no name needs to be looked up.
        if !self.defers_any {
            return Ok(());
        }
        let name = tool.form().name.as_ref();
        if !self.is_deferred(name) || self.loaded.is_loaded(name) {
            return Ok(());
        }
        Err(NotLoaded { name: name.to_owned() })
    }

    /// Loads the tools of these names: they can be called from now on, and the next request has their definitions. Gives
    /// the names that were not loaded before.
    pub fn load<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
        let deferred = names.into_iter().filter(|name| self.is_deferred(name));
        deferred.filter(|name| self.loaded.load(name)).map(str::to_owned).collect()
    }

    /// The tools that were loaded, in that order.
    #[must_use]
    pub fn loaded(&self) -> Vec<Arc<str>> {
        self.loaded.names()
    }

    /// What the model is to be told of deferred tools that it has not heard of; nothing where it has heard of all.
    pub(crate) fn announcement(&self) -> Option<String> {
        let all = self.tools.iter().zip(&self.deferred).filter(|(_, is_deferred)| **is_deferred);
        let names = all.map(|(tool, _)| tool.form().name.as_ref());
        let unloaded: Vec<&str> = names.filter(|name| !self.loaded.is_loaded(name)).collect();
        self.loaded.announcement(&unloaded)
    }

    /// Finds tools: any by its exact name, and those that are deferred by words; where nothing is deferred, all by words.
    #[must_use]
    pub fn search(&self, query: &Query, most: usize) -> Found {
        let Searched { index, places } = self.index.get_or_init(|| self.searched());
        let mut found = Found::default();
        let mut add = |tool: &Arc<Pooled>| {
            if !found.tools.iter().any(|other| Arc::ptr_eq(other, tool)) {
                found.tools.push(Arc::clone(tool));
            }
        };
        match query {
            Query::Names(names) => {
                for name in names {
                    let place = self.place(name).or_else(|| {
                        let only = Query::Names(vec![name.clone()]);
                        index.search(&only, 1).first().map(|found| places[*found])
                    });
                    match place {
                        Some(place) => add(&self.tools[place]),
                        None => found.unknown.push(self.unknown(name)),
                    }
                }
            }
            Query::Words { whole, .. } => {
                whole.iter().filter_map(|name| self.place(name)).for_each(|place| add(&self.tools[place]));
                index.search(query, most).into_iter().for_each(|found| add(&self.tools[places[found]]));
                found.tools.truncate(most);
            }
        }
        found
    }

    /// The tools that words find.
    fn searched(&self) -> Searched {
        let is_searched = |place: &usize| {
            let is_search = self.tools[*place].form().name == SEARCH_TOOL;
            !is_search && (self.deferred[*place] || !self.defers_any)
        };
        let places: Vec<usize> = (0..self.tools.len()).filter(is_searched).collect();
        let tools: Vec<&Arc<Pooled>> = places.iter().map(|place| &self.tools[*place]).collect();
        let prompts: Vec<String> = tools.iter().map(|tool| tool.tool().prompt()).collect();
        let docs = tools.iter().zip(&prompts).map(|(tool, prompt)| SearchDoc {
            name: &tool.form().name,
            hint: tool.form().search_hint.as_deref().unwrap_or_default(),
            description: prompt,
        });
        Searched { index: SearchIndex::new(&docs.collect::<Vec<_>>()), places }
    }
}

impl fmt::Display for NotLoaded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.name;
        write!(
            f,
            "`{name}` is not loaded, so its input would be a guess: call {SEARCH_TOOL} with the query `select:{name}`, and \
             then this tool again"
        )
    }
}
