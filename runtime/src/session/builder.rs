//! Building a session. What is not said is closed: nobody to ask, no rules, no hooks.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::{Arc, Mutex};

use super::{Session, SharedContext};
use crate::contract::{Context, FilesSeen, SessionFacts};
use crate::env::Env;
use crate::hooks::{Hook, HookLayer, HookParts, HookSession, HookTransport, Hooks};
use crate::permission::race::Askable;
use crate::permission::{Behavior, Files, Mode, Profile, Prompter, RealFiles, RuleSet, Source};
use crate::pipeline::{BodySource, FolderStore, ResultStore, Services};
use crate::registry::{Catalogue, Pool};

/// Which failures cancel the other calls of their turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SiblingPolicy {
    /// None.
    None,
    /// Those of bodies whose tool is so marked.
    Marked,
    /// Every error result.
    Any,
}

/// How many calls run side by side unless told otherwise.
const CAP_DEFAULT: NonZeroUsize = NonZeroUsize::new(10).expect("ten is not zero");
/// The environment variable that tells otherwise.
const CAP_VARIABLE: &str = "CLAUDE_CODE_MAX_TOOL_USE_CONCURRENCY";

/// Builds a [`Session`].
pub struct SessionBuilder {
    env: Env,
    catalogue: Catalogue,
    context: Context,
    facts: SessionFacts,
    rules: Vec<(Behavior, Source, String)>,
    profile: Profile,
    hooks: HookParts,
    prompter: Option<Arc<dyn Prompter>>,
    files: Box<dyn Files>,
    store: Option<Box<dyn ResultStore>>,
    bodies: Option<Box<dyn BodySource>>,
    siblings: Option<SiblingPolicy>,
    cap: Option<NonZeroUsize>,
}

impl SessionBuilder {
    pub(super) fn new(env: Env, catalogue: Catalogue) -> SessionBuilder {
        SessionBuilder {
            env,
            catalogue,
            context: Context::new("/"),
            facts: SessionFacts::default(),
            rules: Vec::new(),
            profile: Profile::default(),
            hooks: HookParts::default(),
            prompter: None,
            files: Box::new(RealFiles),
            store: None,
            bodies: None,
            siblings: None,
            cap: None,
        }
    }

    /// Where the session works, and in which mode; `/` in the default mode unless said.
    #[must_use]
    pub fn context(mut self, context: Context) -> SessionBuilder {
        self.context = context;
        self
    }

    /// The permission mode.
    #[must_use]
    pub fn mode(mut self, mode: Mode) -> SessionBuilder {
        self.context.mode = mode;
        self
    }

    /// Which observed behaviour is followed where two differ.
    #[must_use]
    pub fn profile(mut self, profile: Profile) -> SessionBuilder {
        self.profile = profile;
        self
    }

    /// Adds a permission rule.
    #[must_use]
    pub fn rule(mut self, behavior: Behavior, source: Source, rule: impl Into<String>) -> SessionBuilder {
        self.rules.push((behavior, source, rule.into()));
        self
    }

    /// Adds a hook.
    #[must_use]
    pub fn hook(mut self, hook: impl Hook) -> SessionBuilder {
        self.hooks.code.push(Arc::new(hook));
        self
    }

    /// Adds the hooks of settings files, the strongest file first: rewrites count in this order.
    #[must_use]
    pub fn hooks_configured(mut self, layers: impl IntoIterator<Item = HookLayer>) -> SessionBuilder {
        self.hooks.layers.extend(layers);
        self
    }

    /// What runs the commands and sends the requests of configured hooks. Without it none of them can be run: those
    /// before calls ask, and the others are passed over with a notice.
    #[must_use]
    pub fn hook_transport(mut self, transport: impl HookTransport) -> SessionBuilder {
        self.hooks.transport = Some(Arc::new(transport));
        self
    }

    /// Whether a configured hook that fails or takes too long closes what it could have closed, where otherwise it has
    /// said nothing.
    #[must_use]
    pub fn hooks_fail_closed(mut self, fails_closed: bool) -> SessionBuilder {
        self.hooks.fails_closed = fails_closed;
        self
    }

    /// Who the session is, for hooks; a new identifier and no transcript unless said.
    #[must_use]
    pub fn hook_session(mut self, session: HookSession) -> SessionBuilder {
        self.hooks.session = session;
        self
    }

    /// Someone who can be asked.
    #[must_use]
    pub fn prompter(mut self, prompter: impl Prompter) -> SessionBuilder {
        self.prompter = Some(Arc::new(prompter));
        self
    }

    /// A feature switch that is on in this session.
    #[must_use]
    pub fn feature(mut self, name: impl Into<String>) -> SessionBuilder {
        self.facts.features.insert(name.into());
        self
    }

    /// Where paths lead, for path rules; this machine's file system unless said.
    #[must_use]
    pub fn files(mut self, files: impl Files) -> SessionBuilder {
        self.files = Box::new(files);
        self
    }

    /// Where large results go; a folder in the system's folder for temporary files unless said.
    #[must_use]
    pub fn store(mut self, store: impl ResultStore) -> SessionBuilder {
        self.store = Some(Box::new(store));
        self
    }

    /// What stands in for the tools' own bodies, such as a recording.
    #[must_use]
    pub fn bodies(mut self, bodies: impl BodySource) -> SessionBuilder {
        self.bodies = Some(Box::new(bodies));
        self
    }

    /// Which failures cancel the other calls of their turn; the profile's way unless said.
    #[must_use]
    pub fn siblings(mut self, policy: SiblingPolicy) -> SessionBuilder {
        self.siblings = Some(policy);
        self
    }

    /// How many calls run side by side; 10, or `CLAUDE_CODE_MAX_TOOL_USE_CONCURRENCY`, unless said.
    #[must_use]
    pub fn cap(mut self, cap: NonZeroUsize) -> SessionBuilder {
        self.cap = Some(cap);
        self
    }

    /// The session.
    #[must_use]
    pub fn build(self) -> Session {
        let rules = self.rules.iter().map(|(behavior, source, text)| (*behavior, *source, text.as_str()));
        let (rules, mut rule_problems) = RuleSet::new(rules, &self.context, self.files.as_ref());
        rule_problems.extend(rules.lifted(self.profile));
        let facts = SessionFacts { has_person: self.prompter.is_some(), ..self.facts };
        let pool = Pool::new(&self.catalogue, &facts, |form| !rules.denies_wholly(form, self.profile));
        let tools = self.catalogue.built_in().iter().chain(self.catalogue.remote());
        rule_problems.extend(rules.of_unknown_tools(&tools.map(|tool| tool.form()).collect::<Vec<_>>()));
        let siblings = self.siblings.unwrap_or(match self.profile {
            Profile::V2_1_88 => SiblingPolicy::Marked,
            Profile::Current => SiblingPolicy::None,
        });
        let mut hooks = self.hooks;
        if hooks.session.id.is_empty() {
            hooks.session.id = self.env.new_id("session");
        }
        let store = self.store.unwrap_or_else(|| Box::new(FolderStore::temporary(&self.env)));
        let mut context = self.context;
        context.readable_directories.extend(store.folder().map(Path::to_owned));
        let services = Services {
            rules,
            profile: self.profile,
            askable: Askable { hooks: Hooks::new(hooks, self.profile), prompter: self.prompter },
            files: self.files,
            store,
            bodies: self.bodies,
            siblings,
            context: SharedContext::new(context),
            facts: Arc::new(facts),
            files_seen: FilesSeen::default(),
            env: self.env,
        };
        Session {
            services: Arc::new(services),
            pool,
            cap: self.cap.or_else(cap_of_environment).unwrap_or(CAP_DEFAULT),
            rule_problems,
            turns: 0.into(),
            has_begun: false.into(),
            stop_blocks: 0.into(),
            conversation: super::Conversation::default(),
            in_motion: Mutex::default(),
            turn_lock: Arc::default(),
            step_lock: tokio::sync::Mutex::default(),
        }
    }
}

fn cap_of_environment() -> Option<NonZeroUsize> {
    std::env::var(CAP_VARIABLE).ok()?.trim().parse().ok()
}

impl std::fmt::Debug for SessionBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SessionBuilder").field("catalogue", &self.catalogue).finish_non_exhaustive()
    }
}
