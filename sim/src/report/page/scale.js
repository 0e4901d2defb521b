// From times to places: along each turn, along the session with its pauses folded, or along the clock.

// The stretches in which something is in motion, over all runs.
const busy = (() => {
  const spans = runs.flatMap((run) => run.turns.map((turn) => [turn.began.at_ns, turn.ended.at_ns]));
  const merged = [];
  for (const [from, to] of spans.sort((a, b) => a[0] - b[0])) {
    const last = merged.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged;
})();

// Pieces of the axis: [from, to, place of from, place of to], with places from 0 to 1.
function pieces(isFolded) {
  const total = busy.reduce((sum, [from, to]) => sum + to - from, 0) || 1;
  const fold = total * Math.min(0.03, 0.4 / Math.max(1, busy.length));
  const made = [];
  let place = 0;
  busy.forEach(([from, to], index) => {
    if (index > 0) {
      const pause = from - busy[index - 1][1];
      const width = isFolded ? Math.min(pause, fold) : pause;
      made.push([busy[index - 1][1], from, place, place + width, pause > width]);
      place += width;
    }
    made.push([from, to, place, place + (to - from || 1), false]);
    place += to - from || 1;
  });
  return made.map(([from, to, a, b, isPause]) => [from, to, a / place, b / place, isPause]);
}

const axes = { session: pieces(true), clock: pieces(false) };

// How long a turn lasts, over all runs.
const turnSpan = new Map(allRows.map(({ turn }) => {
  const spans = runs.map((run) => run.turnOf.get(turn)).filter((it) => it).map((it) => it.ended.at_ns - it.began.at_ns);
  return [turn, Math.max(1, ...spans)];
}));

// The place of a time of one run, from 0 to 1.
function place(run, turn, ns) {
  if (state.axis === "turn") {
    const began = run.turnOf.get(turn)?.began.at_ns ?? 0;
    return (ns - began) / turnSpan.get(turn);
  }
  const axis = axes[state.axis];
  if (axis.length === 0) return 0;
  let [low, high] = [0, axis.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ns <= axis[middle][1]) high = middle;
    else low = middle + 1;
  }
  const [from, to, a, b] = axis[low];
  return to > from ? a + ((ns - from) / (to - from)) * (b - a) : a;
}

// The same within what is zoomed to, in percent.
function percent(run, turn, ns) {
  const [from, to] = state.zoom;
  return ((place(run, turn, ns) - from) / (to - from)) * 100;
}

const NICE = (() => {
  const decimal = [];
  for (let unit = 1; unit <= 1e10; unit *= 10) decimal.push(unit, 2 * unit, 5 * unit);
  return [...decimal.filter((ns) => ns < 6e10), 6e10, 12e10, 3e11, 6e11, 18e11, 36e11, 72e11, 216e11, 864e11];
})();

// Where the ruler has marks: [percent, label].
function ticks(turn, columnWidth) {
  const [z0, z1] = state.zoom;
  const wanted = Math.max(2, Math.floor(columnWidth / 90));
  const made = [];
  const mark = (from, to, a, b, isRelative) => {
    const visible = [Math.max(a, z0), Math.min(b, z1)];
    if (visible[0] >= visible[1] || b <= a) return;
    const at = (place) => from + ((place - a) / (b - a)) * (to - from);
    const scale = ((to - from) / (b - a)) * (z1 - z0);
    const unit = NICE.find((ns) => scale / ns <= wanted) ?? NICE.at(-1);
    const origin = isRelative ? from : 0;
    const first = Math.ceil((at(visible[0]) - origin) / unit - 1e-9);
    for (let n = first; made.length < 400; n += 1) {
      const ns = origin + n * unit;
      if (ns > at(visible[1])) break;
      const where = ((a + ((ns - from) / (to - from || 1)) * (b - a) - z0) / (z1 - z0)) * 100;
      if (made.length === 0 || (where - made.at(-1)[0]) * columnWidth > 6000) {
        // A label that would be cut off at the edge is worse than none.
        if (where > 0 && ((100 - where) * columnWidth) / 100 < 58) break;
        made.push([where, isRelative ? lasting(ns - origin) : clock(ns)]);
      }
    }
  };
  if (state.axis === "turn") mark(0, turnSpan.get(turn), 0, 1, true);
  else axes[state.axis].forEach(([from, to, a, b, isPause]) => isPause || mark(from, to, a, b, false));
  return made;
}
