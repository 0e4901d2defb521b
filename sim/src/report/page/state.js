// What is shown, which the address holds.

const AXES = ["turn", "session", "clock"];
const USUAL_AXIS = allRows.length > 6 ? "turn" : "session";
const ZOOM_MIN = 1e-6;

const state = { step: eventsMax, tools: new Set(), call: null, axis: USUAL_AXIS, zoom: [0, 1], find: "" };

// Reads the address. What is no state there is left at what is usual.
function readAddress() {
  const said = new URLSearchParams(location.hash.slice(1));
  const step = Number.parseInt(said.get("step") ?? "", 10);
  state.step = Number.isFinite(step) ? Math.min(Math.max(step, 0), eventsMax) : eventsMax;
  const known = new Set(toolCounts.map(([tool]) => tool));
  state.tools = new Set(said.getAll("tool").filter((tool) => known.has(tool)));
  state.call = rowOf.has(said.get("call")) ? said.get("call") : null;
  state.axis = AXES.includes(said.get("axis")) ? said.get("axis") : USUAL_AXIS;
  state.find = said.get("find") ?? "";
  const zoom = (said.get("zoom") ?? "").split("-").map(Number);
  const isZoom = zoom.length === 2 && zoom.every(Number.isFinite) && zoom[0] >= 0 && zoom[1] <= 1 && zoom[1] - zoom[0] >= ZOOM_MIN;
  state.zoom = isZoom ? zoom : [0, 1];
}

function address() {
  const said = new URLSearchParams();
  if (state.step !== eventsMax) said.set("step", state.step);
  state.tools.forEach((tool) => said.append("tool", tool));
  if (state.call !== null) said.set("call", state.call);
  if (state.axis !== USUAL_AXIS) said.set("axis", state.axis);
  if (state.find !== "") said.set("find", state.find);
  if (state.zoom[0] > 0 || state.zoom[1] < 1) said.set("zoom", state.zoom.map((n) => Number(n.toFixed(7))).join("-"));
  return `#${said}`;
}

let addressTimer = 0;

// Writes the address, not more often than a browser allows.
function writeAddress() {
  clearTimeout(addressTimer);
  addressTimer = setTimeout(() => {
    try {
      history.replaceState(null, "", address());
    } catch {
      // Where a page may not change its address, it only cannot be shared.
    }
  }, 120);
}

// The rows that the filters leave.
function rowsShown() {
  const find = state.find.toLowerCase();
  const isShown = (row) => (state.tools.size === 0 || state.tools.has(row.first.tool)) && (find === "" || row.text.includes(find));
  return allRows.flatMap((turn) => {
    const calls = turn.calls.filter(isShown);
    return calls.length > 0 || (turn.calls.length === 0 && state.tools.size === 0 && find === "") ? [turn, ...calls] : [];
  });
}

function zoomBy(factor, around) {
  const [from, to] = state.zoom;
  const middle = from + (to - from) * (around ?? 0.5);
  const width = Math.min(1, Math.max(ZOOM_MIN * 10, (to - from) * factor));
  const start = Math.min(Math.max(0, middle - width * (around ?? 0.5)), 1 - width);
  state.zoom = [start, start + width];
}

function panBy(part) {
  const [from, to] = state.zoom;
  const width = to - from;
  const start = Math.min(Math.max(0, from + width * part), 1 - width);
  state.zoom = [start, start + width];
}
