//! What users of comparable systems reported of order, parallel calls, cancellation and sub-agents, and the tests that
//! hold the right behaviour. `cargo test -p toolwright-sim --test it reported -- --nocapture` prints the list.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A test, by its file and its name.
type Held = (&'static str, &'static str);

/// Reports of one thing, by where they were made, and the tests that hold what should happen.
type Row = (&'static [&'static str], &'static [Held]);

const ROWS: &[Row] = &[
    (&["cc#22264"], &[("sim/tests/it/siblings.rs", "of_three_edits_one_of_which_fails_the_others_finish")]),
    (
        &["cc#64346"],
        &[("tools/tests/it/siblings.rs", "of_27_calls_one_of_which_finds_nothing_none_is_cancelled")],
    ),
    (
        &["cc#29770"],
        &[(
            "sim/tests/it/siblings.rs",
            "a_skill_in_a_batch_goes_on_whatever_its_siblings_do_unless_a_marked_one_fails_under_marked",
        )],
    ),
    (
        &["octos-org/octos#1705"],
        &[
            (
                "sim/tests/it/siblings.rs",
                "calls_of_later_batches_are_cancelled_too_and_those_that_ended_keep_their_results",
            ),
            ("sim/tests/it/conversation.rs", "every_call_is_answered_in_the_message_behind_it"),
        ],
    ),
    (
        &["cc#1237", "#1577", "#2697", "#5989"],
        &[
            ("runtime/tests/it/repair.rs", "each_way_of_being_broken_is_mended_and_told"),
            ("runtime/tests/it/repair.rs", "a_session_takes_a_broken_history_and_says_what_it_mended"),
        ],
    ),
    (
        &["cc#20693", "#20885", "#21089"],
        &[
            ("runtime/tests/it/repair.rs", "each_way_of_being_broken_is_mended_and_told"),
            (
                "runtime/tests/it/scheduler.rs",
                "of_two_calls_with_one_identifier_the_first_is_run_and_answered",
            ),
        ],
    ),
    (
        &["wecode-ai/Wegent PR#2657", "router-for-me/CLIProxyAPI PR#4998"],
        &[("runtime/tests/it/repair.rs", "each_way_of_being_broken_is_mended_and_told")],
    ),
    (
        &["google-gemini/gemini-cli PR#16759", "#16557"],
        &[
            ("runtime/tests/it/scheduler.rs", "no_call_is_lost_between_its_place_and_its_job"),
            ("sim/tests/it/random.rs", "every_invariant_holds_whatever_happens_in_a_session"),
        ],
    ),
    (
        &["google-gemini/gemini-cli PR#5845"],
        &[
            ("runtime/tests/it/scheduler.rs", "two_turns_never_overlap"),
            ("runtime/tests/it/query.rs", "steps_of_two_loops_never_mix"),
        ],
    ),
    (
        &["cc#14353"],
        &[(
            "tools/tests/it/reported/remote_tools.rs",
            "remote_tools_that_only_read_run_side_by_side_and_need_to_be_allowed_all_the_same",
        )],
    ),
    (
        &["changelog 2.1.126"],
        &[(
            "sim/tests/it/siblings.rs",
            "a_name_that_cannot_be_one_is_an_error_for_its_call_and_hangs_nobody",
        )],
    ),
    (
        &["changelog 2.1.7, 2.1.9"],
        &[
            (
                "sim/tests/it/streaming.rs",
                "the_calls_of_a_message_that_breaks_off_are_stopped_and_nobody_gets_their_results",
            ),
            (
                "runtime/tests/it/scheduler_streaming.rs",
                "a_message_that_breaks_off_leaves_nothing_and_the_loop_can_be_run_again",
            ),
        ],
    ),
    (
        &["changelog 2.1.218"],
        &[
            (
                "runtime/tests/it/scheduler_streaming.rs",
                "an_abort_in_the_middle_of_a_message_pairs_the_calls_it_had_made",
            ),
            (
                "sim/tests/it/streaming.rs",
                "an_abort_in_the_middle_of_a_message_keeps_its_complete_calls_and_answers_each",
            ),
        ],
    ),
    (
        &["cc#83421"],
        &[(
            "tools/tests/it/agents/gate.rs",
            "an_agent_has_its_parents_mode_where_that_is_wider_or_narrower_than_its_own",
        )],
    ),
    (
        &["cc#18950", "#56854", "#20264"],
        &[
            (
                "tools/tests/it/agents/gate.rs",
                "what_the_parent_allows_by_path_an_agent_may_do_too_and_no_more",
            ),
            (
                "runtime/tests/it/permission/children.rs",
                "a_sub_agents_rules_hang_on_the_directories_of_its_parent",
            ),
        ],
    ),
    (
        &["anomalyco/opencode#26700", "PR#33967", "changelog 2.1.136, 2.1.212"],
        &[
            (
                "tools/tests/it/agents/gate.rs",
                "an_agent_that_plans_looks_and_writes_nothing_whatever_rules_allow",
            ),
            (
                "runtime/tests/it/permission/children.rs",
                "a_sub_agent_keeps_tools_and_gets_none_and_their_definitions_stay_byte_for_byte",
            ),
        ],
    ),
    (
        &["changelog 2.1.222"],
        &[
            (
                "tools/tests/it/agents/hooks.rs",
                "a_hook_that_allows_everything_gives_an_agent_no_tool_that_it_has_not",
            ),
            (
                "tools/tests/it/agents/hooks.rs",
                "a_hook_that_allows_everything_gives_an_agent_in_the_background_nothing_more",
            ),
        ],
    ),
    (
        &["microsoft/agent-framework#7386", "pydantic-ai#2628", "#5339", "#3791"],
        &[("sim/tests/it/pairs.rs", "a_read_behind_a_write_sees_all_of_it_and_one_before_it_nothing")],
    ),
    (
        &["rig#1088", "#1955", "#1872"],
        &[
            (
                "runtime/tests/it/scheduler.rs",
                "results_come_in_the_order_of_the_calls_though_they_finish_in_another",
            ),
            (
                "runtime/tests/it/scheduler_streaming.rs",
                "a_call_runs_to_its_result_before_its_message_is_complete",
            ),
            (
                "runtime/tests/it/query.rs",
                "each_message_of_calls_is_followed_by_its_results_in_order_and_then_by_what_was_added",
            ),
        ],
    ),
    (
        &["earendil-works/pi#7053", "huggingface/smolagents#2554", "langchain-ai/langgraph#7412"],
        &[
            ("sim/tests/it/siblings.rs", "a_stalled_call_that_is_aborted_loses_no_result_that_was_there"),
            ("runtime/tests/it/scheduler.rs", "a_result_is_handed_over_while_later_calls_still_run"),
        ],
    ),
    (
        &["anthropics/claude-code#22264", "#64346", "#64237"],
        &[
            ("sim/tests/it/siblings.rs", "a_failing_read_cancels_nobody"),
            ("tools/tests/it/siblings.rs", "a_read_that_fails_cancels_no_command"),
            (
                "tools/tests/it/siblings.rs",
                "a_command_that_fails_cancels_the_others_and_is_named_as_the_cause_unless_the_policy_is_none",
            ),
        ],
    ),
    (
        &["bug-ops/mcp-execution#191", "openai/codex#20925"],
        &[
            (
                "runtime/tests/it/scheduler.rs",
                "aborts_and_interrupts_at_any_time_leave_every_call_with_its_one_result",
            ),
            (
                "runtime/tests/it/scheduler.rs",
                "a_tool_that_does_not_listen_is_stopped_at_its_next_await_and_what_it_left_behind_harms_nobody",
            ),
        ],
    ),
    (
        &["livekit/agents-js#2428", "withastro/flue#726", "arcee-ai/nac#105"],
        &[("sim/tests/it/timeouts.rs", "a_tool_past_its_limit_is_stopped_and_its_siblings_are_unharmed")],
    ),
    (
        &["rust-sdk#106", "tower-mcp#1230"],
        &[("runtime/tests/it/pipeline.rs", "each_step_ends_a_call_with_one_result_and_no_later_step_runs")],
    ),
    (
        &["bosun-ai/kwaak#390", "zed#29946", "forgecode#842", "openhuman#4118"],
        &[(
            "tools/tests/it/reported/remote_tools.rs",
            "a_tool_that_is_denied_as_a_whole_is_not_named_to_whoever_asks_for_one_like_it",
        )],
    ),
];

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate is in the project").to_owned()
}

/// Whether a file has a test of this name.
fn has_test(text: &str, name: &str) -> bool {
    let Some(at) = text.find(&format!("fn {name}(")) else { return false };
    let attributes = text[..at].rsplit("\n\n").next().unwrap_or_default();
    attributes.contains("#[test]") || attributes.contains("#[tokio::test")
}

#[test]
fn every_report_about_order_calls_and_agents_is_held_by_tests_that_are_there() {
    let mut missing = Vec::new();
    for (reports, tests) in ROWS {
        println!("{}", reports.join(", "));
        for (file, name) in *tests {
            println!("    {file}: {name}");
            let text = std::fs::read_to_string(project().join(file)).unwrap_or_default();
            if !has_test(&text, name) {
                missing.push(format!("{file}: {name}"));
            }
        }
    }
    assert_eq!(missing, Vec::<String>::new());
}

/// The rows of the list of reports that are about order, calls and agents.
fn listed(cases: &str) -> Vec<String> {
    let part = |from: &str, to: &str| {
        let begin = cases.find(from).expect("the list has this part");
        let rest = &cases[begin..];
        rest[..rest.find(to).unwrap_or(rest.len())].to_owned()
    };
    let parallel = part("## 3.4", "## 3.5");
    let agents = part("| cc#83421", "## 4 ");
    let order = part("\nOrder, parallelism, cancellation\n", "\nPermission\n");
    let rows = parallel.lines().chain(agents.lines()).filter(|line| line.starts_with("| "));
    let rows = rows.filter_map(|line| line.split('|').nth(1)).filter(|row| *row != " ref ");
    let points = order.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit()));
    let points = points.filter_map(|line| line.split_once(". ")?.1.split(':').next());
    rows.chain(points).map(|row| row.trim().to_owned()).collect()
}

#[test]
fn no_row_of_the_list_of_reports_is_left_out() {
    let shared = std::env::var_os("TOOLWRIGHT_SHARED").map(PathBuf::from);
    let shared = shared.unwrap_or_else(|| project().join("../shared"));
    let Ok(cases) = std::fs::read_to_string(shared.join("CASES.md")) else {
        eprintln!("skipped: the list of reports is not there");
        return;
    };
    let known: BTreeSet<&str> = ROWS.iter().flat_map(|(reports, _)| reports.iter().copied()).collect();
    let is_known = |row: &str| known.iter().any(|report| row.contains(report));
    let rows = listed(&cases);
    assert!(rows.len() >= 25, "{rows:?}");
    let left_out: Vec<&String> = rows.iter().filter(|row| !is_known(row)).collect();
    assert_eq!(left_out, Vec::<&String>::new());
}
