//! What careless and hostile models send to a tool that nests, and what they read then: the exact path, what to do, in
//! plain words, and never much of it.

use std::collections::BTreeMap;

use toolwright::prelude::*;
use toolwright::testing::parse_input;

/// Orders things.
#[tool]
#[derive(Debug)]
#[expect(dead_code, reason = "what is read is not looked at")]
struct Order {
    /// What it is called.
    name: String,
    /// To whom it goes.
    address: Option<Address>,
    /// What is in it.
    #[serde(default)]
    lines: Vec<Line>,
    /// How it is paid.
    payment: Option<Payment>,
    /// Notes by name.
    #[serde(default)]
    notes: BTreeMap<String, Vec<u32>>,
    /// How many times.
    #[serde(default = "once")]
    times: u32,
    /// What is written on it.
    #[serde(default = "long_text")]
    label: String,
    /// How fast.
    #[serde(default)]
    speed: Speed,
    /// Within which weights.
    range: Option<Vec<f64>>,
}

fn once() -> u32 {
    1
}

fn long_text() -> String {
    "handle with care ".repeat(20)
}

#[derive(Debug, Params)]
#[expect(dead_code, reason = "what is read is not looked at")]
struct Address {
    /// The street.
    street: String,
    /// The town.
    town: String,
}

#[derive(Debug, Params)]
#[expect(dead_code, reason = "what is read is not looked at")]
struct Line {
    /// What.
    item: String,
    /// How many.
    count: u32,
}

#[derive(Debug, Params)]
#[expect(dead_code, reason = "what is read is not looked at")]
enum Payment {
    Cash,
    Card {
        /// Its number.
        number: String,
    },
    Account(u64),
}

#[derive(Debug, Default, Params)]
#[serde(rename_all = "snake_case")]
enum Speed {
    #[default]
    Slow,
    Fast,
}

tools!(Order);

/// What is told of an input with these fields besides the name, each problem a line.
fn told(fields: &str) -> Vec<String> {
    let json = format!(r#"{{"name":"a",{fields}}}"#);
    let errors = parse_input::<Order>(&json, &()).expect_err(&json);
    errors.problems.iter().map(ToString::to_string).collect()
}

#[test]
fn null_is_told_how_to_do_without() {
    for (fields, wanted) in [
        (
            r#""times":null"#,
            "`times`: expected an integer from 0 to 4294967295, received null; leave `times` out to have its default, 1",
        ),
        (
            r#""label":null"#,
            "`label`: expected a string, received null; leave `label` out to have its default",
        ),
        (
            r#""lines":null"#,
            "`lines`: expected an array, received null; leave `lines` out where it has no value",
        ),
        (
            r#""speed":null"#,
            r#"`speed`: expected one of "slow", "fast", received null; leave `speed` out where it has no value"#,
        ),
        (
            r#""times":"none""#,
            r#"`times`: expected an integer from 0 to 4294967295, received the string "none"; leave `times` out to have its default, 1"#,
        ),
        (
            r#""address":"""#,
            r#"`address`: expected an object, received the string ""; leave `address` out where it has no value"#,
        ),
        (
            r#""address":{"street":null,"town":"Rome"}"#,
            "`address.street`: expected a string, received null; the parameter is required: send a value",
        ),
        (
            r#""lines":[{"item":"x","count":null}]"#,
            "`lines[0].count`: expected an integer from 0 to 4294967295, received null; the parameter is required: send a value",
        ),
        // What is no parameter cannot be left out so simply.
        (r#""lines":[null]"#, "`lines[0]`: expected an object, received null"),
    ] {
        assert_eq!(told(fields), [wanted], "{fields}");
    }
    let errors = parse_input::<Order>(r#"{"name":null}"#, &()).expect_err("a name is required");
    assert_eq!(
        errors.problems[0].to_string(),
        "`name`: expected a string, received null; the parameter is required: send a value"
    );
    // An option takes it, and no default is ever put in its place.
    assert!(parse_input::<Order>(r#"{"name":"a","address":null,"payment":null}"#, &()).is_ok());
}

/// Fields of an order that a careless model might send, and what it is told of each.
const MISTAKES: &[(&str, &[&str])] = &[
    // One level too many.
    (
        r#""address":{"address":{"street":"a","town":"b"}}"#,
        &[
            r#"`address.address`: expected no such parameter, received the object {"street":"a","town":"b"}; send what is in it without `address` around it"#,
            "`address.street`: expected a string, received nothing; the parameter is required",
            "`address.town`: expected a string, received nothing; the parameter is required",
        ],
    ),
    // One level too high or too deep.
    (
        r#""street":"a","address":{"street":"a","town":"b"}"#,
        &[r#"`street`: expected no such parameter, received the string "a"; send `street` inside `address`"#],
    ),
    (
        r#""count":2,"lines":[]"#,
        &[
            "`count`: expected no such parameter, received the number 2; send `count` inside an item of `lines`",
        ],
    ),
    (
        r#""address":{"street":"a","town":"b","speed":"Slow"}"#,
        &[
            r#"`address.speed`: expected no such parameter, received the string "Slow"; `speed` is a parameter of the whole input: send it there"#,
        ],
    ),
    // One level too few.
    (r#""lines":[["x",2]]"#, &[r#"`lines[0]`: expected an object, received the array ["x",2]"#]),
    // Text of a text.
    (
        r#""address":"{\"street\":\"{\\\"a\\\":1}\",\"town\":[\"b\"]}""#,
        &[r#"`address.town`: expected a string, received the array ["b"]"#],
    ),
    (
        r#""address":"\"{\\\"street\\\":1}\"""#,
        &[
            r#"`address`: expected an object, received the string "\"{\\\"street\\\":1}\""; write the value itself, not a text of it"#,
        ],
    ),
    (
        r#""lines":"[{'item':'x','count':1}]""#,
        &[
            r#"`lines`: expected an array, received the string "[{'item':'x','count':1}]"; write the value itself, not a text of it"#,
        ],
    ),
    // Numbers in lists.
    (
        r#""notes":{"a b":["1",2.5,"x",-1]}"#,
        &[
            r#"`notes["a b"][1]`: expected an integer from 0 to 4294967295, received the number 2.5"#,
            r#"`notes["a b"][2]`: expected an integer from 0 to 4294967295, received the string "x""#,
            r#"`notes["a b"][3]`: expected an integer from 0 to 4294967295, received the number -1"#,
        ],
    ),
    (
        r#""range":[0.1,1e999]"#,
        &[
            "`range[1]`: expected a number that a 64-bit float can hold, received a larger one (line 1, column 31); the number is too large",
        ],
    ),
    (
        r#""notes":{"":[99999999999999999999999999]}"#,
        &[
            r#"`notes[""][0]`: expected an integer from 0 to 4294967295, received the number 99999999999999999999999999"#,
        ],
    ),
    // Names that only look right, and none at all.
    (
        r#""\u0430ddress":{}"#,
        &[
            "`\u{430}ddress`: expected no such parameter, received an empty object; did you mean `address`? The name that came has U+0430 in it",
        ],
    ),
    (
        r#""speed":"f\u0430st""#,
        &[
            "`speed`: expected one of \"slow\", \"fast\", received the string \"f\u{430}st\"; did you mean `fast`? The name that came has U+0430 in it",
        ],
    ),
    (
        r#""":1"#,
        &[
            r#"`[""]`: expected no such parameter, received the number 1; the parameters are `name`, `address`, `lines`, `payment`, `notes`, `times`, `label`, `speed`, `range`"#,
        ],
    ),
    // Names twice.
    (
        r#""address":{"town":"a","town":"b"}"#,
        &["`address`: expected an object with each name once, received `town` twice (line 1, column 35)"],
    ),
    // Variants.
    (
        r#""payment":"Card""#,
        &[
            r#"`payment`: expected "Cash" or an object with one of `Card`, `Account`, received the string "Card""#,
        ],
    ),
    (
        r#""payment":{"card":{"number":"1"}}"#,
        &[
            r#"`payment`: expected "Cash" or an object with one of `Card`, `Account`, received an object with `card`; did you mean `Card`?"#,
        ],
    ),
    (
        r#""payment":{"cash":{}}"#,
        &[
            r#"`payment`: expected "Cash" or an object with one of `Card`, `Account`, received an object with `cash`; write "Cash" alone, without an object around it"#,
        ],
    ),
    (
        r#""payment":{"Account":"x"}"#,
        &[
            r#"`payment.Account`: expected an integer from 0 to 18446744073709551615, received the string "x""#,
        ],
    ),
];

#[test]
fn each_mistake_is_told_at_its_path_with_what_to_do() {
    for (fields, wanted) in MISTAKES {
        assert_eq!(told(fields), *wanted, "{fields}");
    }
}

#[test]
fn whatever_comes_the_message_is_bounded_and_says_the_same_once() {
    let unknown: Vec<String> = (0..10_000).map(|n| format!("\"k{n}\":{n}")).collect();
    let unknown = unknown.join(",");
    let nested =
        |open: &str, close: &str, times: usize| format!("{}1{}", open.repeat(times), close.repeat(times));
    let long = "x".repeat(100_000);
    for fields in [
        unknown.clone(),
        format!(r#""address":{{{unknown}}}"#),
        format!(r#""lines":[{}]"#, vec![format!("{{{unknown}}}"); 3].join(",")),
        format!(r#""lines":[{}]"#, vec!["{}"; 5_000].join(",")),
        format!(r#""notes":{{{unknown}}}"#),
        format!(r#""notes":{{"{long}":1}}"#),
        format!(r#""{long}":{{"{long}":"{long}"}}"#),
        format!(r#""address":{}"#, nested("[", "]", 100)),
        format!(r#""address":{}"#, nested(r#"{"street":"#, "}", 100)),
        format!(r#""address":{}"#, nested(r#"{"address":"#, "}", 100)),
        format!(r#""speed":"{long}""#),
        format!(r#""times":{}"#, "9".repeat(100_000)),
    ] {
        let json = format!(r#"{{"name":"a",{fields}}}"#);
        let errors = parse_input::<Order>(&json, &()).expect_err("it is nothing that anyone meant");
        let told = errors.to_string();
        assert!(told.len() < 6_000, "{} bytes: {}", told.len(), &told[..1_000]);
        let lists = told.matches("the parameters are `name`, `address`").count();
        assert!(lists <= 1, "{lists} times the same names: {told}");
        parse_input::<Order>(&errors.example, &()).expect("an example is valid");
    }
    let deep = parse_input::<Order>(&nested("[", "]", 1_000), &()).expect_err("it is deep").to_string();
    assert!(
        deep.starts_with(
            "- expected arrays and objects nested at most 127 deep, received deeper ones (line 1, column 128)"
        ),
        "{deep}"
    );
}
