// What a person does, and what is drawn then.

function drawBroken() {
  const items = runs.flatMap((run) => run.violations.map((violation) => {
    const of = violation.call && rowOf.get(violation.call);
    const name = runs.length > 1 ? el("small", {}, ` ${line(run.name)}`) : null;
    return el("li", {}, el("b", {}, line(violation.invariant)), " ", el("span", {}, shown(violation.detail)), of ? [" ", toCall(violation.call)] : null, name);
  }));
  byId("broken").replaceChildren(...items);
}

function drawSum() {
  const facts = runs.flatMap((run) => run.facts.map(([name, value]) => el("span", { class: "fact" }, runs.length > 1 ? `${line(run.name)}: ` : "", `${line(name)} `, el("code", {}, line(value)))));
  const span = Math.max(0, ...runs.map((run) => run.events.at(-1)?.at_ns ?? 0));
  byId("sum").replaceChildren(`${counted(allRows.length, "turn")}, ${counted(rowOf.size, "call")}, ${lasting(span)} of virtual time`, ...facts);
}

function drawChips() {
  const chips = toolCounts.map(([tool, count]) => el("button", {
    type: "button", class: "chip", "aria-pressed": String(state.tools.has(tool)), "data-tool": tool,
    on: { click: () => {
      if (!state.tools.delete(tool)) state.tools.add(tool);
      draw();
    } },
  }, el("bdi", {}, line(tool)), el("small", {}, count.toLocaleString("en"))));
  const all = el("button", { type: "button", class: "chip all", "aria-pressed": String(state.tools.size === 0), on: { click: () => {
    state.tools.clear();
    draw();
  } } }, "All tools");
  byId("chips").replaceChildren(all, ...chips);
}

function drawStep() {
  const slider = byId("step");
  slider.max = eventsMax;
  slider.value = state.step;
  slider.style.setProperty("--done", `${eventsMax ? (state.step / eventsMax) * 100 : 100}%`);
  byId("count").textContent = `${state.step.toLocaleString("en")} / ${eventsMax.toLocaleString("en")}`;
  const said = runs.map((run) => {
    const event = state.step === 0 || state.step === eventsMax ? null : run.events[state.step - 1];
    const [of, what] = event ? told(event) : ["", state.step === 0 ? "nothing has happened yet" : "the run has ended"];
    const at = event?.at_ns ?? (state.step === 0 ? 0 : run.events.at(-1)?.at_ns ?? 0);
    return el("p", {}, el("time", {}, clock(at)), " ", of && el("bdi", {}, el("b", {}, line(of))), " ", shown(what));
  });
  byId("said").replaceChildren(...said);
  const parting = byId("parting");
  parting.hidden = report.parting === undefined;
  if (!parting.hidden) {
    const part = eventsMax ? (report.parting + 1) / eventsMax : 0;
    parting.textContent = "≠";
    parting.setAttribute("aria-label", `To event ${report.parting + 1}, where the two runs part`);
    parting.style.left = `calc(8px + (100% - 16px) * ${part})`;
  }
  byId("first").disabled = byId("back").disabled = state.step === 0;
  byId("last").disabled = byId("on").disabled = state.step === eventsMax;
}

// Draws everything that depends on the state.
function draw() {
  document.body.classList.toggle("two", runs.length > 1);
  shownRows = rowsShown();
  byId("axis").value = state.axis;
  if (document.activeElement !== byId("find")) byId("find").value = state.find;
  byId("none").hidden = shownRows.length > 0;
  drawChips();
  drawStep();
  drawDetail();
  drawHeads();
  drawRows();
  writeAddress();
}

function goTo(step) {
  state.step = Math.min(Math.max(step, 0), eventsMax);
  const event = runs.map((run) => run.events[state.step - 1]).find((it) => it?.call);
  if (event && state.step < eventsMax) reveal(event.call);
  draw();
}

function choose(id) {
  state.call = id;
  draw();
  if (id !== null) {
    reveal(id);
    drawRows();
  }
}

function chooseBeside(by) {
  const calls = shownRows.filter((row) => row.kind === "call");
  if (calls.length === 0) return;
  const at = calls.findIndex((row) => row.id === state.call);
  const next = at < 0 ? (by > 0 ? 0 : calls.length - 1) : Math.min(Math.max(at + by, 0), calls.length - 1);
  choose(calls[next].id);
}

const KEYS = {
  ArrowLeft: (event) => goTo(state.step - (event.shiftKey ? 10 : 1)),
  ArrowRight: (event) => goTo(state.step + (event.shiftKey ? 10 : 1)),
  Home: () => goTo(0),
  End: () => goTo(eventsMax),
  ArrowUp: () => chooseBeside(-1),
  ArrowDown: () => chooseBeside(1),
  "+": () => { zoomBy(0.6); draw(); },
  "=": () => { zoomBy(0.6); draw(); },
  "-": () => { zoomBy(1 / 0.6); draw(); },
  0: () => { state.zoom = [0, 1]; draw(); },
  a: () => { panBy(-0.25); draw(); },
  d: () => { panBy(0.25); draw(); },
  p: () => report.parting !== undefined && goTo(report.parting + 1),
  "/": () => byId("find").focus(),
  "?": () => byId("keys").click(),
  Escape: () => choose(null),
};

function listenToKeys() {
  document.addEventListener("keydown", (event) => {
    const at = event.target;
    const isTyping = at.matches?.("input[type=search], select");
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (isTyping) {
      if (event.key === "Escape" && at.id === "find") at.blur();
      return;
    }
    // The slider moves by itself.
    if (at.id === "step" && /^(Arrow|Home|End|Page)/.test(event.key)) return;
    if (at.closest?.("pre, #detail") && /^Arrow(Up|Down)$/.test(event.key)) return;
    const act = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!act) return;
    event.preventDefault();
    act(event);
  });
}

// Dragging pans, the wheel zooms and pans.
function listenToLanes() {
  const rows = byId("rows");
  let drawing = 0;
  const soon = (act) => {
    cancelAnimationFrame(drawing);
    drawing = requestAnimationFrame(act);
  };
  rows.addEventListener("scroll", () => soon(drawRows), { passive: true });
  rows.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.shiftKey && Math.abs(event.deltaX) <= Math.abs(event.deltaY)) return;
    event.preventDefault();
    if (event.ctrlKey) {
      const box = event.target.closest(".lane")?.getBoundingClientRect();
      zoomBy(event.deltaY > 0 ? 1.2 : 1 / 1.2, box ? (event.clientX - box.left) / box.width : 0.5);
    } else {
      panBy((event.deltaX || event.deltaY) / 1000);
    }
    soon(draw);
  }, { passive: false });
  let drag = null;
  rows.addEventListener("pointerdown", (event) => {
    if (event.button === 0 && event.target.closest(".lane")) drag = { x: event.clientX, zoom: [...state.zoom], moved: false };
  });
  window.addEventListener("pointermove", (event) => {
    if (!drag) return;
    const by = event.clientX - drag.x;
    drag.moved ||= Math.abs(by) > 4;
    if (!drag.moved) return;
    state.zoom = [...drag.zoom];
    panBy(-by / Math.max(1, laneWidth()));
    soon(draw);
  });
  window.addEventListener("pointerup", () => {
    if (drag?.moved) window.addEventListener("click", (event) => event.stopPropagation(), { capture: true, once: true });
    drag = null;
  });
  new ResizeObserver(() => soon(() => { drawHeads(); drawRows(); })).observe(rows);
}

function listen() {
  byId("skip").addEventListener("click", () => byId("rows").focus());
  byId("step").addEventListener("input", (event) => goTo(Number(event.target.value)));
  byId("first").addEventListener("click", () => goTo(0));
  byId("back").addEventListener("click", () => goTo(state.step - 1));
  byId("on").addEventListener("click", () => goTo(state.step + 1));
  byId("last").addEventListener("click", () => goTo(eventsMax));
  byId("parting").addEventListener("click", () => goTo(report.parting + 1));
  byId("axis").addEventListener("change", (event) => { state.axis = event.target.value; state.zoom = [0, 1]; draw(); });
  byId("zoom-in").addEventListener("click", () => { zoomBy(0.6); draw(); });
  byId("zoom-out").addEventListener("click", () => { zoomBy(1 / 0.6); draw(); });
  byId("zoom-fit").addEventListener("click", () => { state.zoom = [0, 1]; draw(); });
  byId("find").addEventListener("input", (event) => { state.find = event.target.value; draw(); });
  byId("theme").addEventListener("click", () => {
    const next = { system: "dark", dark: "light", light: "system" }[document.documentElement.dataset.theme ?? "system"];
    document.documentElement.dataset.theme = next;
    byId("theme").textContent = { system: "Theme", dark: "Dark", light: "Light" }[next];
  });
  byId("keys").addEventListener("click", () => {
    byId("help").hidden = !byId("help").hidden;
    byId("keys").setAttribute("aria-expanded", String(!byId("help").hidden));
  });
  window.addEventListener("hashchange", () => {
    readAddress();
    draw();
    if (state.call !== null) {
      reveal(state.call);
      drawRows();
    }
  });
  listenToKeys();
  listenToLanes();
}

readAddress();
drawBroken();
drawSum();
draw();
if (state.call !== null) choose(state.call);
else if (state.step < eventsMax) goTo(state.step);
listen();
document.documentElement.dataset.drawn = "yes";
