//! Types that parameters nest.

use std::collections::BTreeMap;
use std::fmt::Debug;

use schemars::JsonSchema;
use toolwright::contract::SessionFacts;
use toolwright::prelude::*;
use toolwright::schema::Schema;
use toolwright::testing::parse_input;

/// A stretch of lines.
#[derive(Debug, PartialEq, Params)]
#[serde(rename_all = "camelCase")]
struct Lines {
    /// The last line.
    #[tool(coerce = off)]
    to_line: u32,
    /// The first line.
    #[serde(default = "one")]
    from_line: u32,
    #[tool(description = "What to call them.", example = "intro")]
    name: Option<String>,
    #[serde(skip)]
    seen: bool,
}

fn one() -> u32 {
    1
}

#[derive(Debug, PartialEq, Params)]
struct Newtype(u32);

#[derive(Debug, PartialEq, Params)]
struct Pair(String, u32);

#[derive(Debug, PartialEq, Params)]
struct Nothing;

#[derive(Debug, PartialEq, Params)]
#[serde(rename_all = "kebab-case")]
enum Order {
    NewestFirst,
    /// By name.
    ByName,
}

#[derive(Debug, PartialEq, Params)]
enum Shape {
    Nothing,
    Circle(u32),
    Line(u32, u32),
    #[serde(rename_all = "UPPERCASE")]
    Frame {
        /// How wide.
        width: u32,
        /// How high.
        height: u32,
    },
    #[serde(skip)]
    #[expect(dead_code, reason = "nobody can make it")]
    Secret(Secret),
}

#[derive(Debug, PartialEq, Default)]
struct Secret;

#[derive(Debug, PartialEq, Params)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Target {
    All,
    File {
        /// Where it is.
        path: String,
        /// How deep.
        depth: Option<u32>,
    },
    Lines(Lines),
}

#[derive(Debug, PartialEq, Params)]
#[serde(tag = "t", content = "c")]
enum Adjacent {
    Off,
    One(u32),
    Two {
        /// Second by name.
        z: u32,
        /// First by name.
        a: u32,
    },
}

#[derive(Debug, PartialEq, Params)]
#[serde(untagged)]
enum Either {
    Number(u32),
    Lines(Lines),
    Names {
        /// The names.
        names: Vec<String>,
    },
}

#[derive(Debug, PartialEq, Params)]
struct Generic<T, const N: usize>
where
    T: Debug,
{
    /// Some of them.
    values: Vec<T>,
    /// So many.
    #[serde(default = "count::<N>")]
    count: usize,
    /// One more.
    #[serde(default)]
    more: Option<T>,
}

fn count<const N: usize>() -> usize {
    N
}

#[derive(Debug, PartialEq, Params)]
#[tool(recursive)]
struct Tree {
    /// Its name.
    name: String,
    /// What grows on it.
    #[serde(default)]
    branches: Vec<Tree>,
    /// What it grows on.
    parent: Option<Box<Self>>,
}

#[derive(Debug, PartialEq, Params)]
struct Paging {
    /// How many.
    limit: Option<u32>,
    /// From where.
    after: String,
}

#[derive(Debug, PartialEq, Params)]
struct Query {
    /// What.
    what: String,
    #[serde(flatten)]
    paging: Paging,
    #[serde(flatten)]
    lines: Lines,
    /// Comes last.
    aloud: bool,
}

macro_rules! tools {
    ($($tool:ident($kind:ty)),*) => {$(
        /// Takes one value.
        #[tool]
        struct $tool {
            /// The value.
            value: $kind,
        }

        impl Takes for $kind {
            type Tool = $tool;

            fn out(tool: $tool) -> $kind {
                tool.value
            }
        }
    )*};
}

trait Takes: Sized {
    type Tool: toolwright::contract::ToolForm<State = ()>;

    fn out(tool: Self::Tool) -> Self;
}

tools!(
    TakesLines(Lines),
    TakesNewtype(Newtype),
    TakesPair(Pair),
    TakesNothing(Nothing),
    TakesOrder(Order),
    TakesShape(Shape),
    TakesTarget(Target),
    TakesAdjacent(Adjacent),
    TakesEither(Either),
    TakesGeneric(Generic<u32, 2>),
    TakesTree(Tree),
    TakesQuery(Query),
    TakesMap(BTreeMap<String, Lines>),
    TakesOptional(Option<Lines>)
);

fn read<T: Takes>(json: &str) -> Option<T> {
    parse_input::<T::Tool>(&format!(r#"{{"value":{json}}}"#), &()).ok().map(T::out)
}

fn accepted<T: Takes + Debug + PartialEq>(json: &str, wanted: &T) {
    assert_eq!(read::<T>(json).as_ref(), Some(wanted), "{json}");
}

fn refused<T: Takes + Debug>(jsons: &[&str]) {
    for json in jsons {
        let read = read::<T>(json);
        assert!(read.is_none(), "{json} is read as {read:?}");
    }
}

/// The schema of the one value, as the model sees it.
fn shown<T: Takes>() -> String {
    let schema = Schema::of::<T::Tool>(&SessionFacts::default());
    let text =
        schema.text().strip_prefix(r#"{"type":"object","properties":{"value":"#).expect("there is one value");
    let end = r#"},"required":["value"],"additionalProperties":false}"#;
    text.strip_suffix(end).unwrap_or(text).replace(r#""description":"The value.","#, "")
}

fn lines(to_line: u32, from_line: u32) -> Lines {
    Lines { to_line, from_line, name: None, seen: false }
}

#[test]
fn structs_are_read_from_objects_and_nothing_else() {
    accepted(r#"{"toLine":5}"#, &lines(5, 1));
    accepted(r#"{"toLine":5,"fromLine":"3"}"#, &lines(5, 3));
    accepted(r#"{"toLine":5,"name":null}"#, &lines(5, 1));
    accepted(r#"{"toLine":5}"#, &Some(lines(5, 1)));
    accepted("null", &None::<Lines>);
    accepted(r#"{"a":{"toLine":5}}"#, &BTreeMap::from([("a".to_owned(), lines(5, 1))]));
    refused::<Lines>(&[
        "[5,1,null]",
        r#"{"toLine":"5"}"#,
        r#"{"toLine":5,"seen":true}"#,
        r#"{"to_line":5}"#,
        "null",
    ]);
    refused::<BTreeMap<String, Lines>>(&[r#"{"a":[5]}"#, r#"{"a":{"toLine":5,"x":1}}"#]);
    assert_eq!(
        shown::<Lines>(),
        r#"{"type":"object","properties":{"toLine":{"type":"integer","description":"The last line.","minimum":0},"fromLine":{"type":"integer","description":"The first line.","default":1,"minimum":0},"name":{"type":"string","description":"What to call them.","examples":["intro"]}},"required":["toLine"],"additionalProperties":false}"#
    );
}

/// Whether a plain parse is all that an input of the type needs.
fn is_trusted<T: Takes>() -> bool {
    let schema = Schema::of::<T::Tool>(&SessionFacts::default());
    schema.walkable().pointer("/properties/value/x-strict") == Some(&serde_json::Value::Bool(true))
}

#[test]
fn a_type_that_reads_exactly_its_schema_says_so() {
    assert!(is_trusted::<Lines>() && is_trusted::<Order>() && is_trusted::<Shape>() && is_trusted::<Tree>());
    assert!(!is_trusted::<Target>() && !is_trusted::<Adjacent>() && !is_trusted::<Either>());
    assert!(!is_trusted::<Query>());
}

#[test]
fn structs_without_names_are_what_is_in_them() {
    accepted("5", &Newtype(5));
    accepted(r#"["a",1]"#, &Pair("a".to_owned(), 1));
    accepted("null", &Nothing);
    refused::<Newtype>(&["[5]", r#"{"0":5}"#, "-1"]);
    refused::<Pair>(&[r#"["a"]"#, r#"["a",1,2]"#, "{}"]);
    refused::<Nothing>(&["{}", "[]", "0"]);
}

#[test]
fn enums_without_content_are_names() {
    accepted(r#""newest-first""#, &Order::NewestFirst);
    refused::<Order>(&[r#""newest""#, r#"{"newest-first":null}"#, "0", "null"]);
    assert_eq!(
        shown::<Order>(),
        "{\"type\":\"string\",\"description\":\"The value.\\n`by-name`: By name.\",\"enum\":[\"newest-first\",\"by-name\"]}"
    );
}

#[test]
fn enums_with_content_are_names_or_objects_of_one_entry() {
    accepted(r#""Nothing""#, &Shape::Nothing);
    accepted(r#"{"Circle":3}"#, &Shape::Circle(3));
    accepted(r#"{"Line":[1,2]}"#, &Shape::Line(1, 2));
    accepted(r#"{"Frame":{"WIDTH":1,"HEIGHT":2}}"#, &Shape::Frame { width: 1, height: 2 });
    refused::<Shape>(&[
        r#"{"Nothing":null}"#,
        r#"{"Frame":[1,2]}"#,
        r#"{"Frame":{"WIDTH":1,"HEIGHT":2,"x":3}}"#,
        r#"{"Circle":3,"Line":[1,2]}"#,
        r#""Secret""#,
        "{}",
        "3",
    ]);
    assert!(shown::<Shape>().contains(r#""properties":{"WIDTH":"#), "{}", shown::<Shape>());
}

#[test]
fn tagged_enums_are_as_strict_as_others() {
    accepted(r#"{"kind":"all"}"#, &Target::All);
    accepted(r#"{"kind":"file","path":"a"}"#, &Target::File { path: "a".to_owned(), depth: None });
    accepted(r#"{"toLine":2,"kind":"lines"}"#, &Target::Lines(lines(2, 1)));
    refused::<Target>(&[
        r#"{"kind":"all","x":1}"#,
        r#"{"kind":0}"#,
        r#"["all"]"#,
        r#""all""#,
        r#"{"kind":"file","path":"a","x":1}"#,
        r#"{"kind":"lines","toLine":2,"x":1}"#,
    ]);
    accepted(r#"{"t":"Off"}"#, &Adjacent::Off);
    accepted(r#"{"c":{"z":1,"a":2},"t":"Two"}"#, &Adjacent::Two { z: 1, a: 2 });
    accepted(r#"{"t":"One","c":1}"#, &Adjacent::One(1));
    refused::<Adjacent>(&[
        r#"{"t":"Off","c":null}"#,
        r#"{"t":"Two","c":[1,2]}"#,
        r#"{"t":"One","c":1,"x":1}"#,
        r#"["One",1]"#,
    ]);
    assert!(shown::<Target>().contains(r#""properties":{"kind":{"type":"string","const":"file"},"path":"#));
    assert!(
        shown::<Target>().contains(r#""properties":{"kind":{"type":"string","const":"lines"},"toLine":"#)
    );
    assert!(shown::<Adjacent>().contains(r#""properties":{"z":"#), "{}", shown::<Adjacent>());
}

#[test]
fn untagged_enums_are_what_fits() {
    accepted("1", &Either::Number(1));
    accepted(r#"{"toLine":2}"#, &Either::Lines(lines(2, 1)));
    accepted(r#"{"names":["a"]}"#, &Either::Names { names: vec!["a".to_owned()] });
    refused::<Either>(&[r#"{"toLine":2,"names":[]}"#, "[2]", "null", r#"{"names":[],"x":1}"#]);
}

#[test]
fn generic_types_are_one_type_each() {
    accepted(r#"{"values":[1,2]}"#, &Generic::<u32, 2> { values: vec![1, 2], count: 2, more: None });
    refused::<Generic<u32, 2>>(&[r#"{"values":[1],"x":1}"#, r#"{"values":["a","b"]}"#]);
    let ids = [<Generic<u32, 2>>::schema_id(), <Generic<u32, 3>>::schema_id(), <Generic<u8, 2>>::schema_id()];
    assert!(ids[0] != ids[1] && ids[0] != ids[2] && ids[1] != ids[2], "{ids:?}");
}

#[test]
fn types_of_one_name_are_told_apart() {
    mod other {
        #[derive(toolwright::Params)]
        #[expect(dead_code, reason = "only its schema is looked at")]
        pub(super) struct Lines(String);
    }
    assert_ne!(Lines::schema_id(), other::Lines::schema_id());
}

#[test]
fn a_recursive_type_refers_to_itself() {
    let leaf = |name: &str| Tree { name: name.to_owned(), branches: Vec::new(), parent: None };
    accepted(r#"{"name":"a"}"#, &leaf("a"));
    let tree = Tree { branches: vec![leaf("b")], ..leaf("a") };
    accepted(r#"{"name":"a","branches":[{"name":"b"}]}"#, &tree);
    assert!(shown::<Tree>().contains(r##""$ref":"#/$defs/Tree""##), "{}", shown::<Tree>());
}

#[test]
fn flattened_structs_stand_among_the_others_and_stay_closed() {
    let query = Query {
        what: "x".to_owned(),
        paging: Paging { limit: Some(2), after: "y".to_owned() },
        lines: lines(3, 1),
        aloud: true,
    };
    accepted(r#"{"what":"x","limit":2,"after":"y","toLine":3,"aloud":true}"#, &query);
    accepted(r#"{"what":"x","limit":"2","after":"y","toLine":3,"aloud":"true"}"#, &query);
    refused::<Query>(&[
        r#"{"what":"x","limit":2,"after":"y","toLine":3,"aloud":true,"x":1}"#,
        r#"{"what":"x","limit":2,"toLine":3,"aloud":true}"#,
        r#"["x",2]"#,
    ]);
    let schema = shown::<Query>();
    let places: Vec<Option<usize>> = ["what", "limit", "after", "toLine", "fromLine", "name", "aloud"]
        .iter()
        .map(|name| schema.find(&format!("\"{name}\":")))
        .collect();
    assert!(places.is_sorted() && places.iter().all(Option::is_some), "{schema}");
}

/// Flattens at its top.
#[tool]
#[derive(Debug, PartialEq)]
struct Flat {
    /// What.
    what: String,
    #[serde(flatten)]
    paging: Paging,
}

#[test]
fn a_tool_can_flatten_too() {
    let flat = parse_input::<Flat>(r#"{"what":"x","after":"y"}"#, &()).expect("it is valid");
    assert_eq!(flat, Flat { what: "x".to_owned(), paging: Paging { limit: None, after: "y".to_owned() } });
    assert!(parse_input::<Flat>(r#"{"what":"x","after":"y","x":1}"#, &()).is_err());
    let schema = Schema::of::<Flat>(&SessionFacts::default());
    let golden = r#"{"type":"object","properties":{"what":{"type":"string","description":"What."},"limit":{"type":"integer","description":"How many.","minimum":0},"after":{"type":"string","description":"From where."}},"required":["what","after"],"additionalProperties":false}"#;
    assert_eq!(schema.text().as_ref(), golden);
}
