// The report, looked up: calls by name, rows that two runs share, events in words.

const report = JSON.parse(byId("data").textContent);
const runs = report.runs;

for (const run of runs) {
  run.calls = new Map();
  run.turns.forEach((turn) => turn.calls.forEach((call) => {
    call.turn = turn.turn;
    run.calls.set(call.call, call);
  }));
  run.turnOf = new Map(run.turns.map((turn) => [turn.turn, turn]));
}

// The calls of all runs, each once, turn by turn: a row has a call of each run that has it.
const allRows = (() => {
  const numbers = [...new Set(runs.flatMap((run) => run.turns.map((turn) => turn.turn)))].sort((a, b) => a - b);
  return numbers.map((number) => {
    const ids = new Set(runs.flatMap((run) => (run.turnOf.get(number)?.calls ?? []).map((call) => call.call)));
    const calls = [...ids].map((id) => {
      const each = runs.map((run) => run.calls.get(id));
      const first = each.find((call) => call);
      return { kind: "call", id, turn: number, each, first, text: `${first.label} ${id}`.toLowerCase() };
    });
    return { kind: "turn", turn: number, calls };
  });
})();

const rowOf = new Map(allRows.flatMap((turn) => turn.calls.map((row) => [row.id, row])));
[...rowOf.values()].forEach((row, number) => { row.number = number; });
const brokenCalls = new Set(runs.flatMap((run) => run.violations.map((violation) => violation.call)).filter((call) => call));
const eventsMax = Math.max(0, ...runs.map((run) => run.events.length));

const toolCounts = (() => {
  const counts = new Map();
  for (const row of rowOf.values()) counts.set(row.first.tool, (counts.get(row.first.tool) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
})();

// What a call was at when so many events had happened.
function standing(call, steps) {
  const past = (mark) => mark && mark.step < steps;
  if (!past(call.planned)) return ["future", "not yet"];
  if (past(call.finished?.at)) return [call.finished.outcome, call.finished.outcome];
  if (past(call.refused?.at)) return ["refused", "refused"];
  if (past(call.decided?.at) && call.decided.decision === "deny") return ["denied", "denied"];
  const open = call.phases.findLast((phase) => past(phase.from) && !past(phase.to));
  const words = { line: "in line", hook: "hook", question: "asked", body: "runs", order: "done" };
  return open ? [open.activity, words[open.activity]] : ["line", "in line"];
}

const MARKS = { ok: "✓", error: "✕", panicked: "✕", cancelled: "⊘", refused: "⊘", denied: "⊘", question: "?", body: "▶", hook: "⚙", line: "·", order: "✓", future: "" };

// An event in words.
function told(event) {
  const of = event.call ? (runs.map((run) => run.calls.get(event.call)).find((call) => call)?.label ?? event.call) : "";
  const rest = {
    turn_started: () => `turn ${event.turn + 1} begins${event.agent ? `, of the agent ${event.agent}` : ""}`,
    turn_ended: () => `turn ${event.turn + 1} ends`,
    planned: () => `takes its place in batch ${event.batch + 1}`,
    coerced: () => "an argument came in another type and was converted",
    refused: () => `refused (${event.step}): ${event.reason}`,
    hook_started: () => `hook ${event.hook} (${event.stage}) begins`,
    hook_finished: () => `hook ${event.hook} (${event.stage}): ${event.answer}`,
    hook_notice: () => `hook ${event.hook} says: ${event.text}`,
    asked: () => `asks ${event.racers.join(", ") || "nobody"}: ${event.reason}`,
    killswitch: () => `the killswitch speaks of it: ${event.reason}`,
    withdrawn: () => `its question is withdrawn: ${event.reason}`,
    decided: () => `${event.decision === "allow" ? "allowed" : "denied"} by ${event.by}${event.rule ? ` ${event.rule}` : ""}`,
    late_answer: () => `an answer of ${event.by} came too late`,
    rejudged: () => `is ${event.safe ? "safe beside others" : "to run alone"} now`,
    started: () => "begins",
    progress: () => "tells of progress",
    finished: () => `ends: ${event.outcome}`,
    requested: () => `a model is asked, with ${event.tools.count} tools`,
    mode_changed: () => `the mode${event.agent ? ` of the agent ${event.agent}` : ""} is ${event.mode} now`,
    agent_started: () => `the agent ${event.agent} begins, in the mode ${event.mode}`,
    remembered: () => `a rule is granted: ${event.rule}`,
    result: () => (event.is_error ? "its result is an error" : "its result is handed over"),
  }[event.event];
  return [of, rest ? rest() : event.event.replace(/_/g, " ")];
}
