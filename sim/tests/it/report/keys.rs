//! The page under a person's hands: keys, the slider and the wheel, as the browser hears of them.

use serde_json::{Value, json};

use super::super::cli::Folder;
use super::browser::written;
use super::devtools::{CTRL, NOTHING, SHIFT, Watched};

const SESSION: &str = include_str!("../../../examples/session.twt.jsonl");

/// The step that the page is at.
const STEP: &str = "Number(document.getElementById('count').textContent.split('/')[0].replace(/,/g, ''))";
/// How many events there are.
const EVENTS: &str = "Number(document.getElementById('step').max)";
/// The call that is chosen.
const CHOSEN: &str = "document.querySelector('[aria-selected=true]')?.dataset.call ?? null";
/// How much of the axis is shown, in millionths, as the address has it.
const WIDTH: &str = "(([from, to]) => Math.round((to - from) * 1e6))\
                     ((new URLSearchParams(location.hash.slice(1)).get('zoom') ?? '0-1').split('-').map(Number))";
/// Where that part begins.
const FROM: &str = "Math.round(1e6 * \
                    (new URLSearchParams(location.hash.slice(1)).get('zoom') ?? '0-1').split('-')[0])";
/// How many marks of the ruler are drawn in the first turn's lane, and what they say.
const TICKS: &str =
    "[...document.querySelectorAll('.tick')].slice(0, 8).map((tick) => tick.textContent).join('|')";

fn number(value: &Value) -> i64 {
    value.as_i64().unwrap_or_else(|| panic!("{value} is a whole number"))
}

impl Watched {
    fn number(&mut self, expression: &str) -> i64 {
        number(&self.value(expression))
    }

    fn step_is(&mut self, step: i64) {
        self.until("the step", STEP, &json!(step));
    }
}

fn replayed(name: &str) -> Option<(Folder, Watched)> {
    let folder = Folder::new(name);
    let page = written(&folder, &["replay"]);
    let watched = Watched::open(&folder, &page)?;
    Some((folder, watched))
}

#[test]
fn arrows_home_and_end_go_from_event_to_event() {
    let Some((_folder, mut page)) = replayed("page-arrows") else { return };
    let events = page.number(EVENTS);
    assert!(events > 40, "{events} events are enough to go through");
    page.step_is(events);
    page.press("ArrowRight", NOTHING);
    page.step_is(events);
    page.press("ArrowLeft", NOTHING);
    page.step_is(events - 1);
    page.press("ArrowLeft", SHIFT);
    page.step_is(events - 11);
    page.press("ArrowRight", SHIFT);
    page.step_is(events - 1);
    page.press("Home", NOTHING);
    page.step_is(0);
    page.press("ArrowLeft", NOTHING);
    page.step_is(0);
    assert_eq!(page.value("document.getElementById('back').disabled"), json!(true));
    page.press("ArrowRight", NOTHING);
    page.step_is(1);
    page.press("End", NOTHING);
    page.step_is(events);
    // The address follows, so that this view can be shared.
    page.press("ArrowLeft", NOTHING);
    page.until("the address", "location.hash", &json!(format!("#step={}", events - 1)));
}

#[test]
fn the_slider_moves_by_the_same_keys_and_by_one_event_each() {
    let Some((_folder, mut page)) = replayed("page-slider") else { return };
    let events = page.number(EVENTS);
    page.value("document.getElementById('step').focus()");
    page.press("ArrowLeft", NOTHING);
    page.step_is(events - 1);
    page.press("ArrowRight", NOTHING);
    page.step_is(events);
    page.press("Home", NOTHING);
    page.step_is(0);
    page.press("ArrowRight", NOTHING);
    page.press("ArrowRight", NOTHING);
    page.step_is(2);
    assert_eq!(page.value("Number(document.getElementById('step').value)"), json!(2));
    page.press("End", NOTHING);
    page.step_is(events);
}

#[test]
fn up_and_down_choose_calls_and_escape_closes_them() {
    let Some((_folder, mut page)) = replayed("page-choose") else { return };
    assert_eq!(page.value(CHOSEN), Value::Null);
    page.press("ArrowDown", NOTHING);
    page.until("the first call", CHOSEN, &json!("c01"));
    assert_eq!(page.value("document.getElementById('detail').hidden"), json!(false));
    page.press("ArrowDown", NOTHING);
    page.until("the second call", CHOSEN, &json!("c02"));
    page.press("ArrowUp", NOTHING);
    page.press("ArrowUp", NOTHING);
    page.until("the first call again", CHOSEN, &json!("c01"));
    page.press("Escape", NOTHING);
    page.until("no call", CHOSEN, &Value::Null);
    assert_eq!(page.value("document.getElementById('detail').hidden"), json!(true));
    page.press("ArrowUp", NOTHING);
    let lines = SESSION.lines().rev().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut lines = lines.filter(|line| line["type"] == "tool_use");
    let last = lines.next().expect("it has calls");
    page.until("the last call", CHOSEN, &last["id"]);
}

#[test]
fn keys_zoom_pan_and_show_all_again() {
    let Some((_folder, mut page)) = replayed("page-zoom") else { return };
    assert_eq!((page.number(FROM), page.number(WIDTH)), (0, 1_000_000));
    let whole = page.value(TICKS);
    page.press("+", NOTHING);
    page.until("closer", WIDTH, &json!(600_000));
    assert_eq!(page.number(FROM), 200_000, "around the middle");
    page.until("the ruler follows", &format!("({TICKS}) !== {whole}"), &json!(true));
    page.press("d", NOTHING);
    page.until("to the right", FROM, &json!(350_000));
    page.press("a", NOTHING);
    page.until("to the left", FROM, &json!(200_000));
    page.press("-", NOTHING);
    page.until("farther", WIDTH, &json!(1_000_000));
    page.press("-", NOTHING);
    page.until("never farther than all", WIDTH, &json!(1_000_000));
    page.press("+", NOTHING);
    page.press("+", NOTHING);
    page.until("closer still", WIDTH, &json!(360_000));
    page.press("0", NOTHING);
    page.until("all of it", WIDTH, &json!(1_000_000));
    page.until("the ruler as before", TICKS, &whole);
}

#[test]
fn the_wheel_zooms_with_ctrl_pans_with_shift_and_else_scrolls() {
    let Some((_folder, mut page)) = replayed("page-wheel") else { return };
    // Its middle is over some lane, however far it was scrolled.
    let lane = "#rows";
    page.wheel(lane, 120.0, NOTHING);
    page.wheel(lane, -240.0, CTRL);
    page.until("closer", &format!("{WIDTH} < 1000000"), &json!(true));
    let (from, width) = (page.number(FROM), page.number(WIDTH));
    assert!(from > 0 && from + width < 1_000_000, "around the pointer: {from}, {width}");
    page.wheel(lane, 120.0, SHIFT);
    page.until("to the right", &format!("{FROM} > {from}"), &json!(true));
    assert_eq!(page.number(WIDTH), width, "and no closer");
    page.wheel(lane, -240.0, SHIFT);
    page.until("to the left", &format!("{FROM} < {from}"), &json!(true));
    let from = page.number(FROM);
    page.wheel(lane, 240.0, NOTHING);
    page.press("ArrowLeft", NOTHING);
    let later = format!("step={}", page.number(EVENTS) - 1);
    page.until("later", &format!("location.hash.includes('{later}')"), &json!(true));
    assert_eq!((page.number(FROM), page.number(WIDTH)), (from, width), "by itself it neither zooms nor pans");
    for _turn in 0..3 {
        page.wheel(lane, 1_200.0, CTRL);
    }
    page.until("farther", &format!("{WIDTH} > {width}"), &json!(true));
}

#[test]
fn what_is_typed_into_the_search_is_no_command() {
    let Some((_folder, mut page)) = replayed("page-typing") else { return };
    let events = page.number(EVENTS);
    page.press("/", NOTHING);
    page.until("the search", "document.activeElement.id", &json!("find"));
    for key in ["a", "d", "0", "-", "+", "p", "?"] {
        page.press(key, NOTHING);
    }
    page.until("what was typed", "document.getElementById('find').value", &json!("ad0-+p?"));
    assert_eq!((page.number(STEP), page.number(WIDTH)), (events, 1_000_000));
    assert_eq!(page.value("document.getElementById('help').hidden"), json!(true));
    assert_eq!(page.value("document.getElementById('none').hidden"), json!(false), "no call is like that");
    page.press("Escape", NOTHING);
    page.until("out of it", "document.activeElement.id !== 'find'", &json!(true));
    page.press("?", SHIFT);
    page.until("help", "document.getElementById('help').hidden", &json!(false));
    page.press("?", SHIFT);
    page.until("no help", "document.getElementById('help').hidden", &json!(true));
}

#[test]
fn p_goes_to_where_two_runs_part() {
    let folder = Folder::new("page-part");
    let file = folder.put("s.twt.jsonl", SESSION);
    let page = written(&folder, &["diff", &file, "--strategy", "random", "--seed", "1", "--seed", "2"]);
    let Some(mut page) = Watched::open(&folder, &page) else { return };
    let parting = page.number("JSON.parse(document.getElementById('data').textContent).parting");
    page.press("p", NOTHING);
    page.step_is(parting + 1);
}
