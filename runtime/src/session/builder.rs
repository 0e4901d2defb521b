//! Building a session. What is not said is closed: nobody to ask, no rules, no hooks.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::{Arc, Mutex};

use super::ties::EndsHere;
use super::{Groundwork, Session, SharedContext};
use crate::contract::{Context, FilesSeen, Form, SessionFacts};
use crate::env::Env;
use crate::event::Event;
use crate::hooks::{Hook, HookLayer, HookParts, HookSession, HookTransport, Hooks};
use crate::message::{Message, repair};
use crate::permission::classifier::{Classifier, Watched};
use crate::permission::live::{Changes, LiveRules};
use crate::permission::race::Askable;
use crate::permission::{
    Behavior, Files, Mode, Profile, Prompter, RealFiles, Remember, RuleProblem, RuleSet, RuleText, Source,
};
use crate::pipeline::{BodySource, FolderStore, ResultStore, Services};
use crate::registry::{Catalogue, Deferral, Pool};
use crate::settings::Settings;

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

impl SiblingPolicy {
    /// That of a profile.
    fn of(profile: Profile) -> SiblingPolicy {
        match profile {
            Profile::V2_1_88 => SiblingPolicy::Marked,
            Profile::Current => SiblingPolicy::None,
        }
    }
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
    rules: Vec<RuleText>,
    settings: Settings,
    mode: Option<Mode>,
    profile: Profile,
    hooks: HookParts,
    prompter: Option<Arc<dyn Prompter>>,
    classifier: Option<Arc<dyn Classifier>>,
    remember: Option<Arc<dyn Remember>>,
    files: Arc<dyn Files>,
    store: Option<Arc<dyn ResultStore>>,
    bodies: Option<Arc<dyn BodySource>>,
    siblings: Option<SiblingPolicy>,
    cap: Option<NonZeroUsize>,
    history: Vec<Message>,
    deferral: Option<Deferral>,
    loaded: Vec<String>,
    groundwork: Groundwork,
}

impl SessionBuilder {
    pub(super) fn new(env: Env, catalogue: Catalogue) -> SessionBuilder {
        SessionBuilder {
            env,
            catalogue,
            context: Context::new("/"),
            facts: SessionFacts::default(),
            rules: Vec::new(),
            settings: Settings::default(),
            mode: None,
            profile: Profile::default(),
            hooks: HookParts::default(),
            prompter: None,
            classifier: None,
            remember: None,
            files: Arc::new(RealFiles),
            store: None,
            bodies: None,
            siblings: None,
            cap: None,
            history: Vec::new(),
            deferral: None,
            loaded: Vec::new(),
            groundwork: Groundwork::default(),
        }
    }

    /// Where the session works, and in which mode; `/` in the default mode unless said.
    #[must_use]
    pub fn context(mut self, context: Context) -> SessionBuilder {
        self.context = context;
        self
    }

    /// The permission mode. It comes before what settings choose, managed ones excepted.
    #[must_use]
    pub fn mode(mut self, mode: Mode) -> SessionBuilder {
        self.mode = Some(mode);
        self
    }

    /// What settings files say: rules, directories, the mode, variables. What is wrong with them is told by
    /// [`Session::settings_problems`].
    #[must_use]
    pub fn settings(mut self, settings: Settings) -> SessionBuilder {
        self.settings = settings;
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
        self.rules.push(RuleText::new(behavior, source, rule));
        self
    }

    /// Adds a permission rule that was found in a certain folder.
    #[must_use]
    pub fn rule_at(mut self, rule: RuleText) -> SessionBuilder {
        self.rules.push(rule);
        self
    }

    /// Adds permission rules.
    #[must_use]
    pub fn rules(mut self, rules: impl IntoIterator<Item: Into<RuleText>>) -> SessionBuilder {
        self.rules.extend(rules.into_iter().map(Into::into));
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

    /// Who judges calls in place of a person: alone in the mode `auto`, and elsewhere with a no or a worry.
    #[must_use]
    pub fn classifier(mut self, classifier: impl Classifier) -> SessionBuilder {
        self.classifier = Some(Arc::new(classifier));
        self
    }

    /// Who keeps the rules that are granted for longer than the session; without, they count for the session only.
    #[must_use]
    pub fn remember(mut self, remember: impl Remember) -> SessionBuilder {
        self.remember = Some(Arc::new(remember));
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
        self.files = Arc::new(files);
        self
    }

    /// Where large results go; a folder in the system's folder for temporary files unless said.
    #[must_use]
    pub fn store(mut self, store: impl ResultStore) -> SessionBuilder {
        self.store = Some(Arc::new(store));
        self
    }

    /// What stands in for the tools' own bodies, such as a recording.
    #[must_use]
    pub fn bodies(mut self, bodies: impl BodySource) -> SessionBuilder {
        self.bodies = Some(Arc::new(bodies));
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

    /// Which tools are deferred and how that is told to the model; as `ENABLE_TOOL_SEARCH` says unless said. Where the
    /// catalogue has no `ToolSearch`, or the rules deny it, none are.
    #[must_use]
    pub fn deferral(mut self, deferral: Deferral) -> SessionBuilder {
        self.deferral = Some(deferral);
        self
    }

    /// Deferred tools that are loaded from the beginning, such as those of a conversation that goes on.
    #[must_use]
    pub fn loaded(mut self, names: impl IntoIterator<Item: Into<String>>) -> SessionBuilder {
        self.loaded.extend(names.into_iter().map(Into::into));
        self
    }

    /// What was said before, such as a conversation that was stored. What models would not take of it is mended;
    /// [`Session::history_repairs`] tells what.
    #[must_use]
    pub fn history(mut self, messages: Vec<Message>) -> SessionBuilder {
        self.history = messages;
        self
    }

    /// What other sessions that begin alike have made already; a groundwork of its own unless said.
    #[must_use]
    pub fn groundwork(mut self, groundwork: &Groundwork) -> SessionBuilder {
        self.groundwork = groundwork.clone();
        self
    }

    /// The session.
    #[must_use]
    pub fn build(self) -> Session {
        let mut context = self.context;
        let applied = self.settings.apply(&mut context, self.mode, self.rules);
        let changes = Changes::default();
        let compiled = self.groundwork.rules().of(applied.rules, &context, &self.files, self.profile);
        let live = LiveRules::new(Arc::clone(&compiled.in_force), context.clone(), changes.clone());
        if self.settings.is_closed() {
            live.close();
        }
        let in_force = live.now();
        let rules = in_force.in_mode(Mode::Default);
        let facts = SessionFacts { has_person: self.prompter.is_some(), ..self.facts };
        let denial = |form: &Form| rules.whole_denial(form, self.profile);
        let all = Pool::filtered_knowing(self.groundwork.tools(), &self.catalogue, &facts, denial);
        let pool = deferring(&self.env, all, self.deferral, &self.loaded);
        let rule_problems = problems(&compiled.problems, rules, &self.catalogue, &facts);
        let mut settings_problems = self.settings.diagnostics.clone();
        settings_problems.extend(applied.diagnostics);
        settings_problems.extend(self.settings.of_rules(&rule_problems));
        let siblings = self.siblings.unwrap_or(SiblingPolicy::of(self.profile));
        let mut hooks = self.hooks;
        hooks.layers.splice(0..0, self.settings.hook_layers());
        if hooks.session.id.is_empty() {
            hooks.session.id = self.env.new_id("session");
        }
        let store = self.store.unwrap_or_else(|| Arc::new(FolderStore::temporary(&self.env)));
        context.readable_directories.extend(store.folder().map(Path::to_owned));
        let env = self.env.clone();
        let services = Services {
            rules: Arc::new(live),
            changes: changes.clone(),
            remember: self.remember,
            only_managed_rules: self.settings.only_managed_rules,
            profile: self.profile,
            askable: Askable {
                hooks: Hooks::new(hooks, self.profile),
                prompter: self.prompter,
                classifier: self.classifier.map(|classifier| Arc::new(Watched::new(classifier))),
            },
            files: self.files,
            store,
            bodies: self.bodies,
            siblings,
            context: Arc::new(SharedContext::new(context, changes, applied.forbidden_modes, env)),
            facts: Arc::new(facts),
            files_seen: FilesSeen::default(),
            env: self.env,
        };
        let history = repair(self.history);
        let cap = self.cap.or_else(cap_of_environment).unwrap_or(CAP_DEFAULT);
        let within = super::Within::outermost(Arc::new(services), Arc::new(pool), cap);
        Session {
            _ends_here: Some(EndsHere::new(within.ties())),
            services: Arc::clone(within.services()),
            within: Arc::new(within),
            rule_problems,
            settings_problems,
            context_tokens: 0.into(),
            has_begun: false.into(),
            stop_blocks: 0.into(),
            conversation: super::Conversation::new(history.messages),
            history_repairs: history.repairs,
            in_motion: Mutex::default(),
            turn_lock: Arc::default(),
            step_lock: tokio::sync::Mutex::default(),
        }
    }
}

/// A pool of which some tools are deferred, as was said or the environment says, and some are loaded already.
fn deferring(env: &Env, pool: Pool, deferral: Option<Deferral>, loaded: &[String]) -> Pool {
    let pool = pool.with_deferral(deferral.unwrap_or_else(Deferral::of_environment));
    let tools = pool.load(loaded.iter().map(String::as_str));
    if !tools.is_empty() {
        env.emit(|| Event::ToolsLoaded { agent: None, tools });
    }
    pool
}

/// What is wrong with the rules: what was found as they were read, and what does nothing to the tools there are. It is
/// logged, too: whoever gives a rule in code may never ask what became of it.
fn problems(
    read: &[RuleProblem],
    rules: &RuleSet,
    tools: &Catalogue,
    facts: &SessionFacts,
) -> Vec<RuleProblem> {
    let tools: Vec<_> = tools.built_in().iter().chain(tools.remote()).map(AsRef::as_ref).collect();
    let problems = [read, &rules.idle(&tools, facts)].concat();
    problems.iter().for_each(|problem| tracing::warn!("{problem}"));
    problems
}

fn cap_of_environment() -> Option<NonZeroUsize> {
    std::env::var(CAP_VARIABLE).ok()?.trim().parse().ok()
}

impl std::fmt::Debug for SessionBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SessionBuilder").field("catalogue", &self.catalogue).finish_non_exhaustive()
    }
}
