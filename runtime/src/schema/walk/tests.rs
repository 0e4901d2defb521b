//! What the walker converts, what it refuses, and how it says so.

use serde_json::json;

use super::*;

fn walked(schema: &Value, value: &mut Value) -> Walked {
    walk(value, &Schema::marked(schema.clone()))
}

/// What became of a value, and the paths of what was converted; the problems where there are any.
fn outcome(schema: &Value, given: &Value) -> Result<(Value, Vec<String>), Vec<String>> {
    let mut value = given.clone();
    let walked = walked(schema, &mut value);
    if walked.problems.is_empty() {
        assert_eq!(walked.coercions.is_empty(), value == *given, "what is converted is told: {given}");
        Ok((value, walked.coercions.into_iter().map(|coercion| coercion.path).collect()))
    } else {
        Err(walked.problems.iter().map(Problem::to_string).collect())
    }
}

fn refused(schema: &Value, given: &Value) -> Vec<String> {
    outcome(schema, given).expect_err(&given.to_string())
}

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "count": {"type": "integer", "minimum": 0},
            "ratio": {"type": ["number", "null"]},
            "deep": {"type": "boolean"},
            "names": {"type": "array", "items": {"type": "string"}},
            "either": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
            "kind": {"enum": ["file", "folder"]},
        },
        "required": ["count"],
        "additionalProperties": false,
    })
}

#[test]
fn lossless_conversions_are_made_and_reported() {
    for (given, wanted) in [
        (json!({"count": "5000"}), json!({"count": 5000})),
        (json!({"count": 30.0}), json!({"count": 30})),
        (json!({"count": "30.0"}), json!({"count": 30})),
        (json!({"count": 1, "ratio": "0.5"}), json!({"count": 1, "ratio": 0.5})),
        (json!({"count": 1, "deep": "true"}), json!({"count": 1, "deep": true})),
        (json!({"count": 1, "names": "[\"a\"]"}), json!({"count": 1, "names": ["a"]})),
    ] {
        let mut value = given.clone();
        let walked = walked(&schema(), &mut value);
        assert_eq!((value, walked.problems.len(), walked.coercions.len()), (wanted, 0, 1), "{given}");
    }
}

#[test]
fn what_would_lose_something_stays_an_error() {
    for given in [
        json!({"count": 0.5}),
        json!({"count": 1e30}),
        json!({"count": "1e30"}),
        json!({"count": -1}),
        json!({"count": "-1"}),
        json!({"count": "0x10"}),
        json!({"count": "1_000"}),
        json!({"count": "05"}),
        json!({"count": ""}),
        json!({"count": " 5"  , "deep": "yes"}),
        json!({"count": true}),
        json!({"count": null}),
        json!({"count": [1]}),
        json!({"count": 1, "deep": 1}),
        json!({"count": 1, "ratio": "0.12345678901234567890"}),
        json!({"count": 1, "ratio": "NaN"}),
        json!({"count": 1, "names": "[x"}),
        json!({"count": 1, "names": "a"}),
        json!({"count": 1, "names": {"a": 1}}),
        json!({"count": 1, "names": [1]}),
        json!({"count": 1, "names": "{\"a\":1}"}),
        json!({"count": 1, "kind": 5}),
    ] {
        refused(&schema(), &given);
    }
}

#[test]
fn a_string_is_never_converted_where_a_string_is_valid() {
    let given = json!({"count": 1, "either": "5", "names": ["5", "true"]});
    assert_eq!(outcome(&schema(), &given), Ok((given, vec![])));
}

#[test]
fn every_problem_is_reported_at_once_with_the_nearest_name() {
    let said = refused(&schema(), &json!({"cuont": 1, "kind": "fil", "deep": 3}));
    assert_eq!(
        said,
        [
            "`cuont`: expected no such parameter, received the number 1; did you mean `count`?",
            "`deep`: expected a boolean, received the number 3",
            "`kind`: expected one of \"file\", \"folder\", received the string \"fil\"; did you mean `file`?",
            "`count`: expected an integer of at least 0, received nothing; the parameter is required",
        ]
    );
}

#[test]
fn constants_and_lists_of_any_type_are_meant_by_their_text() {
    for (schema, given, wanted) in [
        (json!({"const": 5}), json!("5"), Some(json!(5))),
        (json!({"const": true}), json!("true"), Some(json!(true))),
        (json!({"const": "5"}), json!("5"), Some(json!("5"))),
        (json!({"const": "5"}), json!(5), None),
        (json!({"const": 5}), json!("6"), None),
        (json!({"enum": [1, 2]}), json!("1"), Some(json!(1))),
        (json!({"enum": [1, "1"]}), json!("1"), Some(json!("1"))),
        (json!({"enum": [1, 2]}), json!("3"), None),
        (json!({"type": "integer", "enum": [1, 2]}), json!("2"), Some(json!(2))),
        (json!({"enum": [null, "a"]}), json!("null"), None),
    ] {
        match wanted {
            Some(wanted) => {
                assert_eq!(outcome(&schema, &given).expect("it is meant").0, wanted, "{schema} {given}")
            }
            None => drop(refused(&schema, &given)),
        }
    }
}

#[test]
fn references_and_parts_of_a_schema_hold_together() {
    let schema = json!({
        "$defs": {"count": {"type": "integer"}, "node": {
            "type": "object",
            "properties": {"value": {"$ref": "#/$defs/count"}, "next": {"anyOf": [{"$ref": "#/$defs/node"}, {"type": "null"}]}},
            "required": ["value"],
            "additionalProperties": false,
        }},
        "allOf": [{"$ref": "#/$defs/node"}, {"properties": {"value": {"maximum": 9}}}],
    });
    let given = json!({"value": "1", "next": {"value": "2", "next": null}});
    let wanted = json!({"value": 1, "next": {"value": 2, "next": null}});
    assert_eq!(outcome(&schema, &given), Ok((wanted, vec!["next.value".to_owned(), "value".to_owned()])));
    assert_eq!(
        refused(&schema, &json!({"value": 10, "next": {"value": "x"}})),
        [
            "`next.value`: expected an integer, received the string \"x\"",
            "`value`: expected a value of at most 9, received the number 10"
                .replace("a value", "a number")
                .as_str(),
        ]
    );
}

#[test]
fn branches_beside_fields_hold_together() {
    let schema = json!({
        "type": "object",
        "properties": {"count": {"type": "integer"}, "name": {"type": "string"}},
        "anyOf": [{"required": ["count"]}, {"required": ["name"]}],
    });
    assert_eq!(outcome(&schema, &json!({"count": "1"})), Ok((json!({"count": 1}), vec!["count".to_owned()])));
    refused(&schema, &json!({}));
    refused(&schema, &json!({"name": "a", "count": "x"}));
}

#[test]
fn a_tag_chooses_the_branch_that_problems_speak_of() {
    let branch = |tag: &str, field: &str, kind: &str| {
        json!({
            "type": "object",
            "properties": {"type": {"type": "string", "const": tag}, field: {"type": kind}},
            "required": ["type", field],
        })
    };
    let schema =
        json!({"oneOf": [branch("circle", "radius", "number"), branch("square", "side", "integer")]});
    let said = |given: Value| refused(&schema, &given);
    assert_eq!(outcome(&schema, &json!({"type": "square", "side": "3"})).expect("it is meant").1, ["side"]);
    assert_eq!(
        outcome(&schema, &json!("{\"type\":\"square\",\"side\":\"3\"}")).expect("it is meant").1,
        ["", "side"]
    );
    assert_eq!(
        said(json!({"type": "square", "side": true})),
        ["`side`: expected an integer, received the boolean true"]
    );
    assert_eq!(
        said(json!({"type": "sqare", "side": 1})),
        [
            "`type`: expected one of \"circle\", \"square\", received the string \"sqare\"; did you mean `square`?"
        ]
    );
    assert_eq!(
        said(json!({"side": 1})),
        ["`type`: expected one of \"circle\", \"square\", received nothing; the parameter is required"]
    );
}

#[test]
fn the_name_of_a_variant_chooses_the_branch_too() {
    let branch = |name: &str, kind: &str| json!({"type": "object", "properties": {name: {"type": kind}}, "required": [name], "additionalProperties": false});
    let schema = json!({"oneOf": [{"type": "string", "enum": ["Nothing"]}, branch("Circle", "number"), branch("Text", "string")]});
    assert_eq!(
        outcome(&schema, &json!({"Circle": "3"})),
        Ok((json!({"Circle": 3}), vec!["Circle".to_owned()]))
    );
    assert_eq!(
        refused(&schema, &json!({"Circle": []})),
        ["`Circle`: expected a number, received an empty array"]
    );
    assert_eq!(
        refused(&schema, &json!({"Cirle": 1})),
        [
            "expected \"Nothing\" or an object with one of `Circle`, `Text`, received an object with `Cirle`; did you mean `Circle`?"
        ]
    );
    assert_eq!(
        refused(&schema, &json!("Circle")),
        ["expected \"Nothing\" or an object with one of `Circle`, `Text`, received the string \"Circle\""]
    );
}

#[test]
fn exactly_one_branch_is_one() {
    let schema = json!({"oneOf": [{"type": "integer"}, {"type": "number", "minimum": 5}]});
    assert!(outcome(&schema, &json!(1)).is_ok() && outcome(&schema, &json!(5.5)).is_ok());
    refused(&schema, &json!(6));
}

#[test]
fn fields_by_pattern_and_other_fields_are_walked() {
    let schema = json!({
        "type": "object",
        "properties": {"name": {"type": "string"}},
        "patternProperties": {"^n_": {"type": "integer"}},
        "additionalProperties": {"type": "boolean"},
    });
    let given = json!({"name": "1", "n_a": "1", "other": "true"});
    assert_eq!(
        outcome(&schema, &given),
        Ok((json!({"name": "1", "n_a": 1, "other": true}), vec!["n_a".to_owned(), "other".to_owned()]))
    );
    assert_eq!(
        refused(&schema, &json!({"n_a": "x", "a b": 1})),
        [
            "`[\"a b\"]`: expected a boolean, received the number 1",
            "`n_a`: expected an integer, received the string \"x\""
        ]
    );
}

#[test]
fn tuples_lengths_and_counts_hold() {
    let pair = json!({"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "minItems": 2, "maxItems": 2, "items": false});
    assert_eq!(outcome(&pair, &json!(["a", "1"])), Ok((json!(["a", 1]), vec!["[1]".to_owned()])));
    assert_eq!(refused(&pair, &json!(["a"])), ["expected an array of 2 items, received an array of 1 item"]);
    let list = json!({"type": "array", "items": {"type": "integer"}, "uniqueItems": true, "maxItems": 3});
    assert_eq!(
        refused(&list, &json!([1, 2, 1.0])),
        ["`[2]`: expected an item that is not there already, received the number 1.0"]
    );
    assert_eq!(
        refused(&list, &json!([1, 2, 3, 4])),
        ["expected an array of at most 3 items, received an array of 4 items"]
    );
    let text = json!({"type": "string", "minLength": 2, "maxLength": 3});
    assert!(outcome(&text, &json!("ää")).is_ok() && outcome(&text, &json!("😀😀😀")).is_ok());
    assert_eq!(
        refused(&text, &json!("ä")),
        ["expected a string of 2 to 3 characters, received the string \"ä\" (1 character)"]
    );
    let pattern = json!({"type": "string", "pattern": "^a+$"});
    assert_eq!(
        refused(&pattern, &json!("ab")),
        ["expected a string that matches `^a+$`, received the string \"ab\""]
    );
}

#[test]
fn bounds_are_exact_beyond_what_a_float_counts() {
    let most = 9_007_199_254_740_993_u64;
    for (schema, fitting, refused_values) in [
        (json!({"type": "integer", "maximum": most}), json!(most), vec![json!(most + 1)]),
        (json!({"type": "integer", "exclusiveMaximum": most}), json!(most - 1), vec![json!(most)]),
        (
            json!({"type": "integer", "format": "uint64"}),
            json!(u64::MAX),
            vec![json!(-1), json!("18446744073709551616"), json!(18_446_744_073_709_551_616.0)],
        ),
        (
            json!({"type": "integer", "format": "int64"}),
            json!(i64::MIN),
            vec![json!(9_223_372_036_854_775_808_u64)],
        ),
        (
            json!({"type": "integer", "format": "int32"}),
            json!("-2147483648"),
            vec![json!(2_147_483_648_u64), json!("2147483648")],
        ),
        (
            json!({"type": "integer", "format": "uint8"}),
            json!("255"),
            vec![json!(256), json!("256"), json!(-1), json!(0.5)],
        ),
        (json!({"type": "number", "exclusiveMinimum": 0}), json!(0.1), vec![json!(0), json!(-0.0)]),
        (json!({"type": "number", "multipleOf": 0.1}), json!(0.3), vec![json!(0.35)]),
        (
            json!({"type": "number", "format": "float"}),
            json!(0.1),
            vec![json!(16_777_217), json!(0.123_456_789), json!(1e300)],
        ),
    ] {
        assert!(outcome(&schema, &fitting).is_ok(), "{schema} {fitting}");
        refused_values.iter().for_each(|value| drop(refused(&schema, value)));
    }
    let said = refused(&json!({"type": "integer", "format": "uint8"}), &json!(256));
    assert_eq!(said, ["expected an integer from 0 to 255, received the number 256"]);
}

#[test]
fn coercion_that_is_switched_off_stays_off_below() {
    let schema = json!({"type": "object", "properties": {"a": {"x-coerce": false, "type": "array", "items": {"type": "integer"}}, "b": {"type": "integer"}}});
    assert_eq!(outcome(&schema, &json!({"a": [1], "b": "1"})).expect("only `b` is converted").1, ["b"]);
    for off in [json!({"a": "[1]"}), json!({"a": ["1"]}), json!({"a": [1.0]})] {
        refused(&schema, &off);
    }
}

#[test]
fn a_converted_value_is_looked_at_again() {
    let schema = json!({"maximum": 5, "allOf": [{"type": "integer"}]});
    assert!(outcome(&schema, &json!("5")).is_ok());
    refused(&schema, &json!("6"));
}

#[test]
fn problems_are_told_up_to_a_limit_and_that_there_are_more() {
    let fields: Map<String, Value> = (0..100_000).map(|n| (format!("k{n}"), json!(n))).collect();
    let walked =
        walked(&json!({"type": "object", "additionalProperties": false}), &mut Value::Object(fields));
    assert_eq!((walked.problems.len(), walked.has_more), (PROBLEMS_MAX, true));
    assert_eq!(walked.problems[0].path, "k0");
}

#[test]
fn a_large_valid_input_is_walked_whole() {
    let schema = json!({"type": "object", "properties": {"text": {"type": "string"}, "list": {"type": "array", "items": {"type": "integer"}}}, "additionalProperties": {"anyOf": [{"type": "integer"}, {"type": "string"}]}});
    let mut value = json!({"text": "x".repeat(10_000_000), "list": (0..200_000).collect::<Vec<_>>()});
    for n in 0..100_000 {
        value[format!("k{n}")] = json!(n);
    }
    assert_eq!(walked(&schema, &mut value), Walked::default());
}

#[test]
fn nested_branches_take_bounded_time() {
    // Each level has two branches that both go on: 2^60 ways, were they all tried.
    let schema = json!({
        "$defs": {"t": {"anyOf": [
            {"type": "array", "items": {"$ref": "#/$defs/t"}, "maxItems": 1},
            {"type": "array", "items": {"$ref": "#/$defs/t"}, "minItems": 1},
            {"type": "integer"},
        ]}},
        "$ref": "#/$defs/t",
    });
    let mut value = json!("x".repeat(1_000_000));
    for _ in 0..60 {
        value = json!([value]);
    }
    let walked = walked(&schema, &mut value);
    assert_eq!(walked.problems.len(), 1, "{:?}", walked.problems);
}

#[test]
fn a_schema_that_refers_to_itself_ends() {
    for schema in [
        json!({"$ref": "#"}),
        json!({"anyOf": [{"$ref": "#"}, {"$ref": "#"}]}),
        json!({"allOf": [{"$ref": "#"}, {"$ref": "#"}]}),
        json!({"not": {"$ref": "#"}}),
    ] {
        assert_eq!(walked(&schema, &mut json!({"a": 1})).problems.len(), 1, "{schema}");
    }
}

#[test]
fn deep_values_are_walked_on_a_small_stack() {
    let schema = json!({"$defs": {"t": {"anyOf": [{"type": "array", "items": {"$ref": "#/$defs/t"}}, {"type": "integer"}]}}, "$ref": "#/$defs/t"});
    let nested = |depth: usize| (0..depth).fold(json!("1"), |value, _| json!([value]));
    assert!(outcome(&schema, &nested(20)).is_ok());
    assert_eq!(walked(&schema, &mut nested(120)).problems.len(), 1);
}
