// The board: a head for each run, and of thousands of rows those that are in sight.

const ROW = 30;
const BUFFER = 8;
let shownRows = [];

// How much of a stretch is drawn as done, and how much is still to come at this step.
function bar(run, row, call, phase) {
  const left = percent(run, row.turn, phase.from.at_ns);
  const right = percent(run, row.turn, phase.to.at_ns);
  if (right < 0 || left > 100) return null;
  const [from, to] = [Math.max(left, -1), Math.min(right, 101)];
  const words = { line: "waits in line", hook: "hook", question: "waits for an answer", body: "runs", order: "waits for calls before it" };
  const spent = lasting(phase.to.at_ns - phase.from.at_ns);
  const isInstant = phase.activity === "hook" && phase.from.at_ns === phase.to.at_ns;
  const made = el("i", {
    class: `ph ${phase.activity}${isInstant ? " instant" : ""}${phase.activity === "body" ? ` ${call.state}` : ""}${phase.from.step >= state.step ? " future" : phase.to.step >= state.step ? " now" : ""}`,
    title: `${words[phase.activity]}${phase.who ? `: ${line(phase.who)}` : ""}, ${spent}`,
    "data-activity": phase.activity,
  });
  made.style.left = `${from}%`;
  made.style.width = `${Math.max(0, to - from)}%`;
  return made;
}

// A mark where a call ended without its body.
function cross(run, row, call) {
  const mark = call.refused?.at ?? (call.decided?.decision === "deny" ? call.decided.at : null);
  if (!mark || call.started) return null;
  const at = percent(run, row.turn, mark.at_ns);
  if (at < -1 || at > 101) return null;
  const made = el("i", { class: `cross ${call.state}${mark.step >= state.step ? " future" : ""}`, title: call.state }, "✕");
  made.style.left = `clamp(7px, ${at}%, calc(100% - 7px))`;
  return made;
}

function cursor(run, row) {
  if (state.step >= run.events.length || state.step === 0) return null;
  const event = run.events[state.step - 1];
  const turn = event.turn ?? run.calls.get(event.call)?.turn;
  if (state.axis === "turn" && turn !== row.turn) return null;
  const made = el("i", { class: "cursor" });
  made.style.left = `${percent(run, row.turn, event.at_ns)}%`;
  return made;
}

// The lane of one run's call.
function lane(run, row, call) {
  const made = el("div", { class: "lane" });
  if (call) {
    made.append(...call.phases.map((phase) => bar(run, row, call, phase)).filter((it) => it));
    made.append(...[cross(run, row, call)].filter((it) => it));
  } else {
    made.append(el("em", {}, "not in this run"));
  }
  made.append(...[cursor(run, row)].filter((it) => it));
  const [kind, word] = call ? standing(call, state.step) : ["future", ""];
  return el("div", { class: "cell" }, made, el("span", { class: `state ${kind}` }, el("b", { "aria-hidden": "true" }, MARKS[kind] ?? ""), word));
}

function callRow(row, index) {
  const { first } = row;
  const above = shownRows[index - 1];
  const below = shownRows[index + 1];
  const isSame = (other) => other?.kind === "call" && other.turn === row.turn && other.first.batch === first.batch;
  const label = line(first.label);
  const rest = label.startsWith(first.tool) ? label.slice(first.tool.length) : ` ${label}`;
  const isNow = runs.some((run) => state.step > 0 && state.step < eventsMax && run.events[state.step - 1]?.call === row.id);
  const states = row.each.map((call) => (call ? standing(call, state.step)[1] : "not in this run"));
  return el("div", {
    class: `row call${isNow ? " at" : ""}${brokenCalls.has(row.id) ? " breaks-one" : ""}${isSame(above) ? "" : " opens"}${isSame(below) ? "" : " closes"}`,
    id: `call-${row.number}`,
    role: "option",
    "aria-selected": String(state.call === row.id),
    "aria-label": `${label}, batch ${first.batch + 1}, ${states.join(" and ")}${brokenCalls.has(row.id) ? ", breaks an invariant" : ""}`,
    "data-call": row.id,
    "data-tool": first.tool,
    "data-batch": first.batch + 1,
    on: { click: () => choose(row.id) },
  },
    el("span", { class: "batch", title: `batch ${first.batch + 1}${first.safe ? ", safe beside others" : ", alone"}` }, isSame(above) ? "" : String(first.batch + 1)),
    el("span", { class: "label", title: label }, el("bdi", { class: "tool" }, line(first.tool)), el("bdi", {}, rest)),
    el("div", { class: "cells" }, runs.map((run, at) => lane(run, row, row.each[at]))));
}

function turnRow(row) {
  const spans = runs.map((run) => run.turnOf.get(row.turn)).filter((it) => it);
  const batches = Math.max(0, ...row.calls.map((call) => call.first.batch + 1));
  const span = spans[0];
  const facts = `${counted(row.calls.length, "call")} in ${counted(batches, "batch")}${span ? `, at ${clock(span.began.at_ns)}, ${lasting(span.ended.at_ns - span.began.at_ns)}` : ""}`;
  const ruler = () => {
    const made = el("div", { class: "lane ruler" });
    if (state.axis === "turn") {
      for (const [at, text] of ticks(row.turn, laneWidth())) {
        const tick = el("span", { class: "tick" }, text);
        tick.style.left = `${at}%`;
        made.append(tick);
      }
    }
    return el("div", { class: "cell" }, made, el("span", { class: "state" }));
  };
  return el("div", { class: "row turn", role: "presentation", "data-turn": row.turn + 1 },
    el("span", { class: "label" }, el("b", {}, `Turn ${row.turn + 1}`), el("small", { title: facts }, ` ${facts}`)),
    el("div", { class: "cells" }, runs.map(ruler)));
}

const laneWidth = () => (document.querySelector(".head .lane")?.clientWidth ?? 400);

// The names of the runs, and their ruler where all turns share one.
function drawHeads() {
  const heads = runs.map((run) => {
    const ruler = el("div", { class: "lane ruler" });
    const isBroken = run.violations.length > 0;
    const name = el("div", { class: "run" },
      el("span", { class: `badge ${isBroken ? "broken" : "held"}` }, isBroken ? "fails" : "holds"),
      el("bdi", { title: line(run.name) }, line(run.name)));
    return { run, ruler, cell: el("div", { class: "head" }, name, el("div", { class: "cell" }, ruler, el("span", { class: "state" }))) };
  });
  byId("heads").replaceChildren(el("span", { class: "label" }, el("span", { id: "amount" })), el("div", { class: "cells" }, heads.map(({ cell }) => cell)));
  if (state.axis !== "turn") {
    const folds = axes[state.axis].filter(([, , , , isFolded]) => isFolded);
    for (const { ruler } of heads) {
      for (const [from, to, a, b] of folds) {
        const fold = el("i", { class: "fold", title: `a pause of ${lasting(to - from)}` });
        const [z0, z1] = state.zoom;
        fold.style.left = `${((a - z0) / (z1 - z0)) * 100}%`;
        fold.style.width = `${((b - a) / (z1 - z0)) * 100}%`;
        ruler.append(fold);
      }
      for (const [at, text] of ticks(0, laneWidth())) {
        const tick = el("span", { class: "tick" }, text);
        tick.style.left = `${at}%`;
        ruler.append(tick);
      }
    }
  }
  const calls = shownRows.filter((row) => row.kind === "call").length;
  byId("amount").textContent = calls === rowOf.size ? counted(calls, "call") : `${calls.toLocaleString("en")} of ${counted(rowOf.size, "call")}`;
  return heads;
}

// From a call that failed to one that it cancelled, where both are listed.
function arrows(first, last) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  made.setAttribute("class", "arrows");
  made.setAttribute("aria-hidden", "true");
  const at = new Map(shownRows.map((row, index) => [row.id, index]));
  const lanes = document.querySelectorAll("#space .row.call .lane");
  if (lanes.length === 0) return made;
  const origin = byId("space").getBoundingClientRect().left;
  const columns = runs.map((_run, index) => {
    const box = lanes[index]?.getBoundingClientRect();
    return box ? [box.left - origin, box.width] : [0, 0];
  });
  for (let index = first; index < last; index += 1) {
    const row = shownRows[index];
    if (row?.kind !== "call") continue;
    row.each.forEach((call, column) => {
      const cause = call?.cause && at.has(call.cause) ? runs[column].calls.get(call.cause) : null;
      const ends = (it) => it.finished?.at ?? it.refused?.at ?? it.decided?.at;
      if (!cause || !ends(cause) || !ends(call) || ends(call).step >= state.step) return;
      const run = runs[column];
      const x = (it) => columns[column][0] + (columns[column][1] * Math.min(100, Math.max(0, percent(run, row.turn, ends(it).at_ns)))) / 100;
      const y = (n) => (n - first) * ROW + ROW / 2;
      const [x0, y0, x1, y1] = [x(cause), y(at.get(call.cause)), x(call), y(index)];
      const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
      const bend = Math.min(x0, x1) - 14;
      path.setAttribute("d", `M${x0},${y0} C${bend},${y0} ${bend},${y1} ${x1 - 6},${y1}`);
      made.append(path);
    });
  }
  made.style.top = `${first * ROW}px`;
  made.style.height = `${(last - first) * ROW}px`;
  return made;
}

// Draws the rows in sight.
function drawRows() {
  const box = byId("rows");
  const space = byId("space");
  const first = Math.max(0, Math.floor(box.scrollTop / ROW) - BUFFER);
  const last = Math.min(shownRows.length, Math.ceil((box.scrollTop + box.clientHeight) / ROW) + BUFFER);
  space.style.height = `${shownRows.length * ROW}px`;
  const made = [];
  for (let index = first; index < last; index += 1) {
    const row = shownRows[index];
    const drawn = row.kind === "turn" ? turnRow(row) : callRow(row, index);
    drawn.style.top = `${index * ROW}px`;
    made.push(drawn);
  }
  space.replaceChildren(...made);
  space.append(arrows(first, last));
  const chosen = space.querySelector("[aria-selected=true]");
  if (chosen) box.setAttribute("aria-activedescendant", chosen.id);
  else box.removeAttribute("aria-activedescendant");
}

// Brings a call's row into sight.
function reveal(id) {
  const index = shownRows.findIndex((row) => row.id === id);
  const box = byId("rows");
  if (index < 0) return;
  const [top, bottom] = [index * ROW, (index + 1) * ROW];
  if (top < box.scrollTop + ROW) box.scrollTop = Math.max(0, top - 2 * ROW);
  else if (bottom > box.scrollTop + box.clientHeight) box.scrollTop = bottom - box.clientHeight + 2 * ROW;
}
