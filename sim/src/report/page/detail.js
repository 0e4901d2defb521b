// The chosen call: what it was given, who decided, where its time went, what it gave.

const REFUSALS = {
  unknown_tool: "no tool of that name", input: "its input does not fit", validation: "the tool refused the input", closed: "closed by a rule after a rewrite",
  cancelled: "cancelled while it waited", recorded: "the recording shows that it never ran", lost: "its task ended without a result",
};

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

// A long text, with its length where it is cut.
function block(cut, isJson) {
  if (!cut) return el("p", { class: "faint" }, "not known");
  const isCut = [...cut.head].length < cut.chars;
  const text = cut.head === "" ? el("p", { class: "faint" }, "nothing") : el("pre", { tabindex: "0" }, shown(isJson && !isCut ? pretty(cut.head) : cut.head));
  return [text, isCut && el("p", { class: "faint" }, `the beginning, of ${counted(cut.chars, "character")}`)];
}

const toCall = (id) => {
  const row = rowOf.get(id);
  return el("button", { type: "button", class: "link", on: { click: () => choose(id) } }, row ? line(row.first.label) : line(id));
};

const toStep = (mark) => el("button", { type: "button", class: "link step", title: "Show the run at this event", on: { click: () => goTo(mark.step + 1) } }, `#${mark.step + 1}`);

// What was decided, and why.
function decision(call) {
  const { decided, refused } = call;
  return [
    decided && el("p", { class: `verdict ${decided.decision}` },
      el("b", {}, decided.decision === "allow" ? "Allowed" : "Denied"), ` by ${line(decided.by)} `, toStep(decided.at)),
    decided?.rule && el("p", {}, "Rule ", el("code", {}, line(decided.rule))),
    decided?.reason && el("p", { class: "why" }, shown(decided.reason)),
    refused && el("p", { class: "verdict deny" }, el("b", {}, "Refused"), `: ${REFUSALS[refused.refusal] ?? refused.refusal} `, toStep(refused.at)),
    refused && el("p", { class: "why" }, shown(refused.reason)),
    call.cause && el("p", {}, "Cancelled by ", toCall(call.cause)),
    !decided && !refused && el("p", { class: "faint" }, "not decided"),
  ];
}

const NAMES = { line: "in line", hook: "hook", question: "asked", body: "ran", order: "until handed over" };

function times(call) {
  const rows = call.phases.filter((phase) => phase.to.at_ns > phase.from.at_ns || phase.activity === "question" || phase.activity === "hook" || phase.activity === "body").map((phase) =>
    el("tr", {},
      el("td", {}, el("i", { class: `ph ${phase.activity}${phase.activity === "body" ? ` ${call.state}` : ""}` }), NAMES[phase.activity], phase.who && el("small", {}, ` ${line(phase.who)}`)),
      el("td", {}, lasting(phase.to.at_ns - phase.from.at_ns)),
      el("td", {}, toStep(phase.from))));
  return el("table", {}, el("tbody", {}, rows));
}

// What happened to the call, event by event.
function steps(run, call) {
  const of = run.events.map((event, step) => [event, step]).filter(([event]) => event.call === call.call);
  const items = of.map(([event, step]) => el("li", { class: step >= state.step ? "future" : step === state.step - 1 ? "at" : "" }, toStep({ step }), " ", el("time", {}, clock(event.at_ns)), " ", shown(told(event)[1])));
  return el("details", {}, el("summary", {}, counted(of.length, "event")), el("ol", {}, items));
}

function ofRun(run, call) {
  const head = runs.length > 1 && el("h3", {}, el("span", { class: `badge ${run.violations.length ? "broken" : "held"}` }, run.violations.length ? "fails" : "holds"), el("bdi", {}, line(run.name)));
  if (!call) return el("section", { class: "run" }, head, el("p", { class: "faint" }, "This run does not have it."));
  const broken = run.violations.filter((violation) => violation.call === call.call);
  return el("section", { class: "run" }, head,
    broken.map((violation) => el("p", { class: "breaks" }, el("b", {}, line(violation.invariant)), ` ${shown(violation.detail)}`)),
    el("p", { class: `end ${call.state}` }, el("b", { "aria-hidden": "true" }, MARKS[call.state] ?? ""), ` ${call.state}`,
      call.started && call.finished ? ` after ${lasting(call.finished.at.at_ns - call.started.at_ns)}` : ""),
    el("h4", {}, "Decision"), decision(call),
    el("h4", {}, "Time"), times(call), steps(run, call),
    el("h4", {}, call.result?.is_error ? "Result, an error" : "Result"), block(call.result, false));
}

function drawDetail() {
  const aside = byId("detail");
  const row = state.call === null ? null : rowOf.get(state.call);
  aside.hidden = !row;
  document.body.classList.toggle("with-detail", Boolean(row));
  if (!row) return aside.replaceChildren();
  const open = [...aside.querySelectorAll("details")].map((it) => it.open);
  const { first } = row;
  aside.replaceChildren(
    el("header", {},
      el("h2", {}, el("bdi", {}, line(first.label))),
      el("button", { type: "button", id: "close", "aria-label": "Close", title: "Close (Esc)", on: { click: () => choose(null) } }, "✕")),
    el("p", { class: "faint" }, `${line(first.tool)} · turn ${row.turn + 1}, batch ${first.batch + 1} · ${first.safe ? "safe beside others" : "runs alone"} · `, el("code", {}, line(row.id))),
    el("section", {}, el("h4", {}, "Input"), block(first.input, true)),
    el("div", { class: "each" }, runs.map((run, at) => ofRun(run, row.each[at]))));
  aside.querySelectorAll("details").forEach((it, at) => { it.open = open[at] ?? false; });
}
