//! The tools of one session, in the order the model sees them.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, OnceLock};

use super::catalogue::check_name;
use super::filter::{self, Candidate, Fallen, Part, Sieved};
use super::loading::{Deferral, LoadMode, Loaded, SEARCH_TOOL, tokens_about};
use super::pooled::KnownTools;
use super::sent::Searched;
use super::{Catalogue, Pooled};
use crate::contract::{ErasedTool, Form, SessionFacts};
use crate::nearest::all_near;
use crate::schema::{ProfileError, ProviderProfile};

/// How many characters of a name that is no tool's are told: a model may send very many.
const NAME_CHARS_SHOWN: usize = 64;

/// The tools of one session: the program's own by name, then remote ones by name; the program's own win a name. What
/// comes while the session runs is behind these.
#[derive(Debug, Default)]
pub struct Pool {
    pub(super) tools: Vec<Arc<Pooled>>,
    /// Which of them are deferred.
    pub(super) deferred: Vec<bool>,
    /// Whether any of them is.
    pub(super) defers_any: bool,
    routes: BTreeMap<String, usize>,
    session: Arc<SessionFacts>,
    fallen: Arc<Vec<Fallen>>,
    pub(super) deferral: Option<Deferral>,
    pub(super) loaded: Loaded,
    pub(super) index: OnceLock<Searched>,
    pub(super) list: OnceLock<Arc<str>>,
}

/// A name that is no tool in the pool.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct UnknownTool {
    /// The name that was asked for.
    pub name: String,
    /// The nearest names in the pool, best first.
    pub nearest: Vec<String>,
}

/// How many names an unknown-tool error lists.
const NEAREST_MAX: usize = 10;

impl Pool {
    /// The tools of a catalogue that can be used in this session and that `keep` keeps. Nothing is deferred.
    #[must_use]
    pub fn new(catalogue: &Catalogue, session: &SessionFacts, keep: impl Fn(&Form) -> bool) -> Pool {
        let denial = |form: &Form| (!keep(form)).then(|| "the program".to_owned());
        Pool::filtered(catalogue, session, denial)
    }

    /// The tools that pass the four stages of [`filter`]; `denial` gives the rule that denies a tool as a whole.
    #[must_use]
    pub fn filtered(
        catalogue: &Catalogue,
        session: &SessionFacts,
        denial: impl Fn(&Form) -> Option<String>,
    ) -> Pool {
        Pool::filtered_knowing(&KnownTools::default(), catalogue, session, denial)
    }

    /// The same, where schemas and definitions may be known already.
    pub(crate) fn filtered_knowing(
        known: &KnownTools,
        catalogue: &Catalogue,
        session: &SessionFacts,
        denial: impl Fn(&Form) -> Option<String>,
    ) -> Pool {
        let session = Arc::new(session.clone());
        let Sieved { kept, mut fallen } = filter::listed(catalogue, &session);
        let rest = pass(kept, &mut fallen, &session, denial);
        let tools = known.pooled(rest, &session);
        Pool { fallen: Arc::new(fallen), ..Pool::of(tools, session, None, Loaded::default()) }
    }

    fn of(
        tools: Vec<Arc<Pooled>>,
        session: Arc<SessionFacts>,
        deferral: Option<Deferral>,
        loaded: Loaded,
    ) -> Pool {
        let mut pool = Pool { tools, session, deferral, loaded, ..Pool::default() };
        for (index, tool) in pool.tools.iter().enumerate() {
            pool.routes.insert(tool.form().name.clone().into_owned(), index);
        }
        pool.route_aliases();
        pool.decide_deferred();
        pool
    }

    fn decide_deferred(&mut self) {
        self.deferred = self.tools.iter().map(|tool| self.may_defer(tool.form(), tool.part())).collect();
        if !self.defers() {
            self.deferred.fill(false);
        }
        self.defers_any = self.deferred.contains(&true);
    }

    /// The same tools, of which some are deferred. Whether that is so is decided here, once for the session.
    #[must_use]
    pub fn with_deferral(self, deferral: Deferral) -> Pool {
        let (index, list) = (OnceLock::new(), OnceLock::new());
        let mut pool = Pool { deferral: Some(deferral), index, list, ..self };
        pool.decide_deferred();
        pool
    }

    /// The tools of this pool that `keep` keeps, with the same schemas and definitions. What was loaded here is not
    /// loaded there: another conversation has not heard of it.
    #[must_use]
    pub fn kept(&self, keep: impl Fn(&Form) -> bool) -> Pool {
        let tools = self.tools.iter().filter(|tool| keep(tool.form())).cloned().collect();
        Pool::of(tools, Arc::clone(&self.session), self.deferral, Loaded::default())
    }

    /// This pool with remote tools that came while the session runs. New ones are behind all others, by name; one that is
    /// there already takes the place of its older version, and the model is told of it what it was told before. The
    /// second and third stage of [`filter`] apply to them as to the others.
    #[must_use]
    pub fn with_arrivals(
        &self,
        arrivals: &[Arc<dyn ErasedTool>],
        denial: impl Fn(&Form) -> Option<String>,
    ) -> Pool {
        let mut fallen = self.fallen.to_vec();
        let named = arrivals.iter().filter(|tool| check_name(&tool.form().name).is_ok());
        let candidates = named.map(Candidate::remote).collect();
        let mut tools = self.tools.clone();
        for candidate in pass(candidates, &mut fallen, &self.session, denial) {
            match self.routes.get(candidate.tool.form().name.as_ref()).map(|index| &mut tools[*index]) {
                // The very version that is there says nothing new.
                Some(there) if Arc::ptr_eq(there.tool(), &candidate.tool) => {}
                Some(there)
                    if there.part() == Part::Remote && there.form().name == candidate.tool.form().name =>
                {
                    *there = Arc::new(there.renewed(candidate.tool));
                }
                Some(there) if there.form().name == candidate.tool.form().name => {
                    fallen.push(Fallen { candidate, why: filter::Fall::NameTaken });
                }
                // Nothing has the name, or an alias does, which gives way.
                Some(_) | None => tools.push(pooled(candidate, &self.session)),
            }
        }
        // What `auto` decided at the beginning stays: a list that was sent whole is not taken back.
        let deferral = self.deferral.map(|deferral| Deferral {
            mode: if self.defers_any { LoadMode::Deferred } else { settled(deferral.mode) },
            ..deferral
        });
        let loaded = self.loaded.clone();
        Pool { fallen: Arc::new(fallen), ..Pool::of(tools, Arc::clone(&self.session), deferral, loaded) }
    }

    /// The tools again as at the beginning of a session: in the order of their names, with the definitions of their
    /// newest versions, and through the stages of [`filter`] once more. What is loaded stays loaded.
    #[must_use]
    pub fn renewed(&self, denial: impl Fn(&Form) -> Option<String>) -> Pool {
        let mut fallen = Vec::new();
        let there = self.tools.iter().map(|tool| Candidate {
            tool: Arc::clone(tool.tool()),
            part: tool.part(),
            layer: super::Layer::default(),
        });
        let was_denied = self.fallen.iter().map(|fallen| fallen.candidate.clone());
        let (kept, shut): (Vec<Candidate>, Vec<Candidate>) = there
            .chain(was_denied)
            .partition(|candidate| candidate.layer.shut(&self.session.features).is_none());
        for candidate in shut {
            if let Some(why) = candidate.layer.shut(&self.session.features) {
                fallen.push(Fallen { candidate, why: filter::Fall::Feature(why) });
            }
        }
        let kept = pass(kept, &mut fallen, &self.session, denial);
        let tools = kept.into_iter().map(|candidate| pooled(candidate, &self.session)).collect();
        let loaded = self.loaded.clone();
        loaded.forget_announced();
        Pool { fallen: Arc::new(fallen), ..Pool::of(tools, Arc::clone(&self.session), self.deferral, loaded) }
    }

    /// An alias never takes a tool's own name, and the first tool in the pool's order keeps an alias that two claim.
    fn route_aliases(&mut self) {
        for (index, tool) in self.tools.iter().enumerate() {
            for alias in tool.form().aliases.iter() {
                self.routes.entry(alias.clone().into_owned()).or_insert(index);
            }
        }
    }

    /// Whether a tool is one that may be deferred.
    fn may_defer(&self, form: &Form, part: Part) -> bool {
        let is_deferrable = part == Part::Remote || form.should_defer;
        is_deferrable && !form.always_load && form.name != SEARCH_TOOL
    }

    /// Whether the tools that may be deferred are: only where they can be searched for.
    fn defers(&self) -> bool {
        let Some(deferral) = self.deferral else { return false };
        let can_search = self.routes.contains_key(SEARCH_TOOL);
        let deferrable = self.tools.iter().zip(&self.deferred).filter(|(_, may)| **may);
        let tokens = || deferrable.map(|(tool, _)| tokens_about(tool.definition())).sum();
        can_search && deferral.mode.defers(tokens, deferral.window_tokens)
    }

    /// The tool that a name or an alias means.
    ///
    /// # Errors
    /// [`UnknownTool`], with the nearest names that the model can see.
    pub fn find(&self, name: &str) -> Result<&Arc<Pooled>, UnknownTool> {
        self.place(name).map(|index| &self.tools[index]).ok_or_else(|| self.unknown(name))
    }

    pub(super) fn place(&self, name: &str) -> Option<usize> {
        self.routes.get(name).copied()
    }

    /// The tools, in the order the model sees them.
    #[must_use]
    pub fn tools(&self) -> &[Arc<Pooled>] {
        &self.tools
    }

    /// The tools that are not in the pool, and why.
    #[must_use]
    pub fn fallen(&self) -> &[Fallen] {
        &self.fallen
    }

    /// Everything that a provider's subset of JSON Schema cannot express, with the names of the tools.
    #[must_use]
    pub fn profile_errors(&self, profile: ProviderProfile) -> Vec<(String, ProfileError)> {
        let of = |tool: &Arc<Pooled>| {
            let name = tool.form().name.clone().into_owned();
            tool.schema().profile_errors(profile).into_iter().map(move |error| (name.clone(), error))
        };
        self.tools.iter().flat_map(of).collect()
    }

    pub(super) fn unknown(&self, name: &str) -> UnknownTool {
        let names = || self.tools.iter().map(|tool| tool.form().name.as_ref());
        let near = all_near(name, names());
        let best: Vec<&str> = match near.is_empty() {
            true => names().take(NEAREST_MAX).collect(),
            false => near.into_iter().take(NEAREST_MAX).collect(),
        };
        let best = best.into_iter().map(str::to_owned).collect();
        UnknownTool { name: name.to_owned(), nearest: best }
    }
}

/// The second to the fourth stage.
fn pass(
    candidates: Vec<Candidate>,
    fallen: &mut Vec<Fallen>,
    session: &SessionFacts,
    denial: impl Fn(&Form) -> Option<String>,
) -> Vec<Candidate> {
    let mut keep = |sieved: Sieved| {
        fallen.extend(sieved.fallen);
        sieved.kept
    };
    let kept = keep(filter::not_denied(candidates, denial));
    let kept = keep(filter::launchable(kept, session));
    keep(filter::pooled(kept))
}

fn pooled(candidate: Candidate, session: &Arc<SessionFacts>) -> Arc<Pooled> {
    Arc::new(Pooled::new(candidate.tool, candidate.part, Arc::clone(session)))
}

/// A mode that no longer depends on how much there is, where nothing was deferred under it.
fn settled(mode: LoadMode) -> LoadMode {
    match mode {
        LoadMode::Auto(_) => LoadMode::Standard,
        LoadMode::Standard | LoadMode::Deferred => mode,
    }
}

impl fmt::Display for UnknownTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name.char_indices().nth(NAME_CHARS_SHOWN) {
            None => write!(f, "there is no tool `{}`", self.name)?,
            Some((at, _first_left_out)) => write!(f, "there is no tool `{}…`", &self.name[..at])?,
        }
        match self.nearest.as_slice() {
            [] => f.write_str(", and no other tool either"),
            [only] => write!(f, "; did you mean `{only}`?"),
            many => write!(f, "; the nearest tools are `{}`", many.join("`, `")),
        }
    }
}

impl fmt::Debug for dyn ErasedTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ErasedTool").field(&self.form().name).finish()
    }
}
