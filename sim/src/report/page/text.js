// Text of others, so that nothing of it is obeyed and nothing hides; times; elements.

const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u00a0\u00ad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;

// Characters that a person would not see are written out; line ends and tabs stay.
const shown = (text) => String(text).replace(UNSEEN, (c) => `\\u{${c.codePointAt(0).toString(16)}}`);

// The same on one line.
const line = (text) => shown(text).replace(/\n/g, "⏎").replace(/\t/g, "⇥");

// An element; strings among its children are text and never markup.
function el(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name === "class") made.className = value;
    else if (name === "on") for (const [event, act] of Object.entries(value)) made.addEventListener(event, act);
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

const byId = (id) => document.getElementById(id);

// A duration in its own unit.
function lasting(ns) {
  if (ns === 0) return "0 s";
  if (ns < 1e3) return `${ns} ns`;
  if (ns < 1e6) return `${trimmed(ns / 1e3)} µs`;
  if (ns < 1e9) return `${trimmed(ns / 1e6)} ms`;
  if (ns < 60e9) return `${trimmed(ns / 1e9)} s`;
  const seconds = Math.floor(ns / 1e9);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const two = (n) => String(n).padStart(2, "0");
  return hours > 0 ? `${hours} h ${two(minutes)} min` : `${minutes} min ${two(seconds % 60)} s`;
}

const trimmed = (n) => String(Number(n.toPrecision(n >= 100 ? 3 : 2 + (n >= 10))));

// A point of time as a clock shows it.
function clock(ns) {
  const ms = Math.floor(ns / 1e6);
  const [hours, minutes, seconds] = [Math.floor(ms / 3600000), Math.floor(ms / 60000) % 60, Math.floor(ms / 1000) % 60];
  const two = (n) => String(n).padStart(2, "0");
  const rest = `${two(seconds)}.${String(ms % 1000).padStart(3, "0")}`;
  return hours > 0 ? `${hours}:${two(minutes)}:${rest}` : `${minutes}:${rest}`;
}

const counted = (n, noun) => `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : noun.endsWith("ch") ? "es" : "s"}`;
