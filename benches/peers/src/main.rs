//! This project's tools beside those of other libraries, in one run: a call, a list, a batch.
//!
//! `cargo run --release` in the folder of this package prints the tables, in Markdown.

#[path = "../../src/in_turn.rs"]
#[expect(dead_code, reason = "the benches print what is printed here as tables")]
mod in_turn;
mod names;
mod ours;
mod with_llm_tool;
mod with_rig;
mod with_rmcp;

use in_turn::InTurn;
use ours::Ours;
use tokio::runtime::Runtime;
use with_llm_tool::LlmTool;
use with_rig::Rig;
use with_rmcp::{Forty, Rmcp, Service, Two, TwoHundred};

/// How many tools there are.
const TOOLS: [usize; 3] = [2, 40, 200];
/// How many calls a batch has, of 40 tools.
const BATCHES: [usize; 2] = [10, 100];
/// How often the libraries take their turns.
const ROUNDS: u32 = 60;

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime builds");
    println!("In microseconds, the least of {ROUNDS} rounds in turn, on one thread.\n");
    let tools = TOOLS.map(|tools| format!("{tools} tools"));
    table("one call", &tools, [calls::<Two>(&runtime, 2), calls::<Forty>(&runtime, 40), calls::<TwoHundred>(&runtime, 200)]);
    let first = [first_lists::<Two>(2), first_lists::<Forty>(40), first_lists::<TwoHundred>(200)];
    table("the list of tools, from nothing", &tools, first);
    let again = [lists::<Two>(&runtime, 2), lists::<Forty>(&runtime, 40), lists::<TwoHundred>(&runtime, 200)];
    table("the list of tools, once more", &tools, again);
    let batches = BATCHES.map(|calls| format!("{calls} calls"));
    table("a batch, with 40 tools", &batches, BATCHES.map(|size| batch(&runtime, size)));
}

/// Names, and nanoseconds.
type Column = Vec<(&'static str, f64)>;

fn calls<S: Service>(runtime: &Runtime, tools: usize) -> Column {
    let (ours, rmcp) = (Ours::new(runtime, tools, 1), Rmcp::<S>::new(runtime, 1));
    let (llm_tool, rig) = (LlmTool::new(tools, 1), Rig::new(tools, 1));
    InTurn::new(ROUNDS, 100)
        .with("toolwright, all six steps", || ours.call(runtime))
        .with("rmcp, router kept", || rmcp.call(runtime))
        .with("rmcp, as `#[tool_handler]` writes it", || rmcp.call_by_default(runtime))
        .with("llm-tool", || llm_tool.call(runtime))
        .with("rig", || rig.call(runtime))
        .least()
}

fn batch(runtime: &Runtime, size: usize) -> Column {
    let (ours, rmcp) = (Ours::new(runtime, 40, size), Rmcp::<Forty>::new(runtime, size));
    let (llm_tool, rig) = (LlmTool::new(40, size), Rig::new(40, size));
    InTurn::new(ROUNDS, 10)
        .with("toolwright, all six steps, a task for each call", || ours.call(runtime))
        .with("rmcp, router kept, all in one task", || rmcp.call(runtime))
        .with("rmcp, as `#[tool_handler]` writes it, all in one task", || rmcp.call_by_default(runtime))
        .with("llm-tool, `Parallel`, all in one task", || llm_tool.batch(runtime))
        .with("rig, all in one task", || rig.call(runtime))
        .least()
}

fn first_lists<S: Service>(tools: usize) -> Column {
    InTurn::new(ROUNDS, 5)
        .with("toolwright", || ours::first_list(tools))
        .with("rmcp", with_rmcp::first_list::<S>)
        .with("llm-tool", || with_llm_tool::first_list(tools))
        .with("rig", || with_rig::first_list(tools))
        .least()
}

fn lists<S: Service>(runtime: &Runtime, tools: usize) -> Column {
    let (ours, rmcp) = (Ours::new(runtime, tools, 1), Rmcp::<S>::new(runtime, 1));
    let (llm_tool, rig) = (LlmTool::new(tools, 1), Rig::new(tools, 1));
    InTurn::new(ROUNDS, 20)
        .with("toolwright", || ours.list())
        .with("rmcp, router kept", || rmcp.list())
        .with("rmcp, as `#[tool_handler]` writes it", || rmcp.list_by_default(runtime))
        .with("llm-tool", || llm_tool.list())
        .with("rig", || rig.list())
        .least()
}

/// Prints columns of the same names beside each other.
fn table<const N: usize>(title: &str, heads: &[String; N], columns: [Column; N]) {
    println!("| {title} | {} |", heads.join(" | "));
    println!("|---|{}", "---:|".repeat(N));
    for row in 0..columns[0].len() {
        let cells: Vec<String> = columns.iter().map(|column| microseconds(column[row].1)).collect();
        println!("| {} | {} |", columns[0][row].0, cells.join(" | "));
    }
    println!();
}

/// Three digits, about.
fn microseconds(nanoseconds: f64) -> String {
    let micro = nanoseconds / 1e3;
    match micro {
        ..0.1 => format!("{micro:.3}"),
        ..10.0 => format!("{micro:.2}"),
        ..100.0 => format!("{micro:.1}"),
        _ => format!("{micro:.0}"),
    }
}
