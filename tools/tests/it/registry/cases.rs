//! Which test shows each public report about searching, names, order, size and agents; and that none is left out where
//! the list of reports is at hand.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use toolwright::contract::SessionFacts;
use toolwright::env::Cancellation;
use toolwright::hooks::{Hook, HookCall, HookError, HookStage, PreDecision, PreToolUse};
use toolwright::message::{ToolUse, Turn};
use toolwright::prelude::*;
use toolwright::registry::search::Query;
use toolwright::registry::{Catalogue, Pool};

use super::{session, with_remote};

const DEFERRAL: &str = "tools/tests/it/registry/deferral.rs";
const STABILITY: &str = "tools/tests/it/registry/stability.rs";
const NAMES: &str = "tools/tests/it/mcp/names.rs";
const FAKE: &str = "tools/tests/it/mcp/fake.rs";
const CASES: &str = "tools/tests/it/registry/cases.rs";
const PIPELINE: &str = "runtime/tests/it/pipeline.rs";
const CHILDREN: &str = "runtime/tests/it/permission/children.rs";
const AGENTS: &str = "tools/tests/it/agents/gate.rs";
const MODES: &str = "runtime/tests/it/permission/modes.rs";
const ARGUMENTS: &str = "runtime/tests/it/schema/arguments.rs";
const MACRO: &str = "runtime/tests/it/tool_macro/cases.rs";

/// A report, as the list names it; and the tests that show what must hold.
const SHOWN: &[(&str, &[(&str, &str)])] = &[
    ("cc#34974", &[(DEFERRAL, "a_search_gives_the_whole_schema")]),
    ("cc#60052", &[(DEFERRAL, "a_tool_that_was_never_loaded_is_refused_in_words_that_say_how_to_load_it")]),
    (
        "NousResearch/hermes-agent#84772",
        &[(DEFERRAL, "a_tool_that_a_search_has_found_can_be_called_in_the_next_turn")],
    ),
    ("Wei-Shaw/sub2api#5942", &[(DEFERRAL, "nothing_is_deferred_where_there_is_no_search")]),
    (
        "cc#25894, changelog 2.1.113",
        &[("tools/tests/it/registry/search.rs", "an_exact_name_comes_first_also_among_other_words")],
    ),
    (
        "changelog 2.1.122, 2.1.224",
        &[
            (DEFERRAL, "a_server_that_connects_late_is_announced_and_can_be_searched"),
            (
                "sim/tests/it/run/late.rs",
                "tools_of_a_server_that_answers_late_are_announced_found_and_called_behind_all_others",
            ),
        ],
    ),
    (
        "changelog 2.1.76",
        &[(DEFERRAL, "what_is_loaded_survives_a_compaction_and_the_rest_is_announced_again")],
    ),
    (
        "cc#22394, #59227, #86459, #93179",
        &[(MACRO, "json_in_a_text_is_read_where_an_object_or_a_list_is_wanted")],
    ),
    (
        "SiderealPress/Lobster#1662",
        &[
            (ARGUMENTS, "a_number_in_a_string_is_the_number_for_each_numeric_type"),
            (
                "tools/tests/it/mcp/peers.rs",
                "every_tool_of_server_everything_is_listed_and_called_with_numbers_as_strings",
            ),
        ],
    ),
    ("github/copilot-cli#1879", &[(NAMES, "names_are_legal_and_distinct")]),
    ("ChromeDevTools/chrome-devtools-mcp#1169", &[(NAMES, "long_names_are_cut_and_stay_distinct")]),
    (
        "microsoft/vscode#243602, tadata-org/fastapi_mcp#161",
        &[(NAMES, "long_names_are_cut_and_stay_distinct")],
    ),
    ("MCKRUZ/microsoft-agentic-harness#373", &[(NAMES, "names_are_legal_and_distinct")]),
    (
        "onyx-dot-app/onyx PR#12694, sourcebot-dev/sourcebot PR#1423",
        &[(NAMES, "what_collides_gets_a_hash_on_every_side_in_any_order")],
    ),
    ("gemini mcp-tool.ts", &[(NAMES, "names_are_legal_and_distinct")]),
    (
        "QwenLM/qwen-code#6338; librefang/librefang#3765; openclaw/openclaw PR#58037; HKUDS/nanobot PR#2722",
        &[(STABILITY, "processes_with_other_hash_seeds_and_orders_of_arrival_send_the_same_bytes")],
    ),
    (
        "can1357/oh-my-pi PR#890",
        &[
            (STABILITY, "processes_with_other_hash_seeds_and_orders_of_arrival_send_the_same_bytes"),
            (FAKE, "a_changed_list_appends_and_a_lost_connection_is_made_again"),
        ],
    ),
    (
        "changelog 2.1.30 / 2.1.89",
        &[(STABILITY, "another_version_of_a_tool_is_called_and_told_of_only_at_the_next_boundary")],
    ),
    (
        "NousResearch/hermes-agent#56059; zeroclaw-labs/zeroclaw#10067; apache/maka PR#108; ai-ecoverse/slicc#2010 (1.9 M chars)",
        &[
            (PIPELINE, "a_large_result_is_stored_whole_and_shown_up_to_a_character"),
            (FAKE, "a_large_result_is_stored_and_shown_as_a_preview"),
        ],
    ),
    (
        "changelog 2.1.132, 2.1.136, 2.1.162",
        &[(PIPELINE, "a_large_result_is_stored_whole_and_shown_up_to_a_character")],
    ),
    ("cc#83421", &[(AGENTS, "an_agent_has_its_parents_mode_where_that_is_wider_or_narrower_than_its_own")]),
    (
        "cc#18950, #56854, #20264",
        &[
            (AGENTS, "what_the_parent_allows_by_path_an_agent_may_do_too_and_no_more"),
            (CHILDREN, "a_sub_agents_rules_hang_on_the_directories_of_its_parent"),
        ],
    ),
    (
        "anomalyco/opencode#26700, PR#33967",
        &[
            (CHILDREN, "a_sub_agent_plans_while_its_parent_plans_and_no_longer"),
            (CHILDREN, "a_sub_agents_mode_is_never_wider_whatever_it_wants_and_however_it_gets_there"),
        ],
    ),
    ("changelog 2.1.136, 2.1.212", &[(MODES, "the_answer_of_each_mode_to_each_effect")]),
    ("changelog 2.1.222", &[(CASES, "a_hooks_allow_gives_an_agent_no_tool_that_it_was_not_given")]),
    ("35", &[(STABILITY, "processes_with_other_hash_seeds_and_orders_of_arrival_send_the_same_bytes")]),
    (
        "36",
        &[
            (CASES, "the_index_is_made_once_for_a_pool"),
            (STABILITY, "a_definition_is_made_once_and_handed_out_without_a_copy"),
        ],
    ),
    (
        "37",
        &[(
            "tools/tests/it/registry/filter.rs",
            "a_disabled_tool_is_absent_from_the_list_and_from_calls_at_once",
        )],
    ),
    (
        "38",
        &[
            ("tools/tests/it/registry/tokens.rs", "deferred_tools_cost_a_fraction_of_what_all_tools_cost"),
            (DEFERRAL, "an_agent_loads_for_itself"),
        ],
    ),
    (
        "39",
        &[
            (PIPELINE, "a_large_result_is_stored_whole_and_shown_up_to_a_character"),
            (PIPELINE, "a_stored_result_can_be_read_by_the_agent_and_by_nobody_else"),
        ],
    ),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate is in the workspace")
}

#[test]
fn every_report_has_tests_that_are_there() {
    for (report, tests) in SHOWN {
        for (file, name) in *tests {
            let text = std::fs::read_to_string(root().join(file)).unwrap_or_default();
            assert!(text.contains(&format!("fn {name}(")), "{report}: no `{name}` in {file}");
        }
    }
}

/// The reports of the sections that are about what is tested here.
#[test]
fn no_report_of_the_list_is_left_out() {
    let shared =
        std::env::var_os("TOOLWRIGHT_SHARED").map_or_else(|| root().join("../shared"), PathBuf::from);
    let Ok(list) = std::fs::read_to_string(shared.join("CASES.md")) else {
        eprintln!("skipped: there is no list of reports in {}", shared.display());
        return;
    };
    let (mut section, mut wanted) = (String::new(), Vec::new());
    for line in list.lines() {
        if let Some(title) = line.strip_prefix('#') {
            section = title.trim_start_matches('#').trim().to_owned();
        } else if ["Registry and cost", "Testing"].contains(&line) {
            section = line.to_owned();
        } else if ["3.5", "3.6", "3.7"].iter().any(|number| section.starts_with(number)) {
            let first = line.strip_prefix("| ").and_then(|rest| rest.split(" |").next());
            wanted.extend(first.filter(|first| *first != "ref").map(str::to_owned));
        } else if section == "Registry and cost" {
            wanted.extend(line.split_once(". ").map(|(number, _)| number.to_owned()));
        }
    }
    assert!(wanted.len() > 25, "{wanted:?}");
    let shown: BTreeMap<&str, _> = SHOWN.iter().copied().collect();
    let missing: Vec<&String> = wanted.iter().filter(|report| !shown.contains_key(report.as_str())).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// Counts how often its text is made.
#[tool(state = Arc<AtomicUsize>)]
struct Counted {}

impl Tool for Counted {
    type Output = &'static str;

    fn prompt(state: &Arc<AtomicUsize>) -> Cow<'static, str> {
        state.fetch_add(1, Ordering::SeqCst);
        "Counts.".into()
    }

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<&'static str, ToolError> {
        Ok("")
    }
}

/// openai/codex#28406, #27258: index and list were made again for each request.
#[test]
fn the_index_is_made_once_for_a_pool() {
    let made = Arc::<AtomicUsize>::default();
    let mut catalogue = Catalogue::new();
    catalogue.add_with::<Counted>(Arc::clone(&made));
    let pool = Pool::new(&catalogue, &SessionFacts::default(), |_| true);
    let search = || pool.search(&Query::new("counts"), 5).tools.len();
    assert_eq!((search(), pool.definitions().len()), (1, 1));
    let once = made.load(Ordering::SeqCst);
    for _ in 0..10 {
        assert_eq!((search(), pool.definitions().len()), (1, 1));
    }
    assert_eq!(made.load(Ordering::SeqCst), once);
}

/// Allows whatever is called.
struct AllowsAll;

#[async_trait::async_trait]
impl Hook for AllowsAll {
    fn name(&self) -> &str {
        "allows all"
    }

    fn stages(&self) -> &[HookStage] {
        &[HookStage::PreToolUse]
    }

    async fn pre_tool_use(&self, _call: &HookCall) -> Result<PreToolUse, HookError> {
        let decision = Some(PreDecision::Allow("it always does".to_owned()));
        Ok(PreToolUse { decision, ..PreToolUse::default() })
    }
}

#[tokio::test]
async fn a_hooks_allow_gives_an_agent_no_tool_that_it_was_not_given() {
    let parent = session(with_remote(&[])).hook(AllowsAll).build();
    let agent = parent.child("a1", "helper", Cancellation::new()).keep(|form| form.name == "Read").build();
    let call = ToolUse::new("c", "Bash", r#"{"command":"true"}"#);
    let result = agent.run_turn(Turn::new(vec![call.clone()])).await.results.remove(0);
    assert!(result.is_error && result.content.to_text().contains("no tool `Bash`"), "{result:?}");
    let above = parent.run_turn(Turn::new(vec![call])).await.results.remove(0);
    assert!(!above.is_error, "there the hook's word counts: {above:?}");
}
