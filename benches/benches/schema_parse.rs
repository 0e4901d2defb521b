//! What parsing an input costs: raw JSON in, boxed call out, as the pipeline asks for it, beside a bare `from_str` into
//! a struct of the same shape; a refused input with its full list of errors; and the schema from the session's cache.

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use serde::Deserialize;
use toolwright::contract::{Origin, SessionFacts};
use toolwright::message::RawInput;
use toolwright::prelude::*;
use toolwright::registry::{Catalogue, Pool, Pooled};
use toolwright_benches::in_turn::InTurn;

macro_rules! pair {
    ($tool:ident, $bare:ident { $($field:ident: $kind:ty),* $(,)? }) => {
        /// A tool of the bench.
        #[tool]
        #[expect(dead_code, reason = "it is parsed, not run")]
        struct $tool {
            $(
                /// A field.
                $field: $kind,
            )*
        }

        impl Tool for $tool {
            type Output = String;

            async fn call(&self, _cx: &Cx<'_, Self>) -> Result<String, ToolError> {
                Ok(String::new())
            }
        }

        /// The same fields, read as they stand.
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        #[expect(dead_code, reason = "it is parsed, not looked at")]
        struct $bare {
            $($field: $kind,)*
        }
    };
}

pair!(Three, BareThree { pattern: String, path: Option<String>, limit: Option<u32> });
pair!(Twelve, BareTwelve {
    pattern: String,
    path: Option<String>,
    glob: Option<String>,
    kind: Option<String>,
    limit: Option<u32>,
    offset: Option<u64>,
    before: Option<u32>,
    after: Option<u32>,
    ignore_case: Option<bool>,
    multiline: Option<bool>,
    line_numbers: Option<bool>,
    folders: Vec<String>,
});

const THREE: &str = r#"{"pattern":"src/**/*.rs","path":"/home/user/project","limit":100}"#;
const TWELVE: &str = r#"{"pattern":"fn [a-z_]+\\(","path":"/home/user/project/src","glob":"*.rs","kind":"rust","limit":250,"offset":1000,"before":2,"after":3,"ignore_case":true,"multiline":false,"line_numbers":true,"folders":["runtime","tools","sim"]}"#;
const CONVERTED: &str = r#"{"pattern":"src/**/*.rs","path":"/home/user/project","limit":"100"}"#;
const REFUSED: &str = r#"{"patern":"src/**/*.rs","path":5,"limit":-1}"#;

fn pooled(name: &str) -> Arc<Pooled> {
    let mut catalogue = Catalogue::new();
    catalogue.add::<Three>().add::<Twelve>();
    let pool = Pool::new(&catalogue, &SessionFacts::default(), |_name| true);
    Arc::clone(pool.find(name).expect("it is listed"))
}

trait Held {}

impl<T> Held for T {}

fn boxed<T: for<'de> Deserialize<'de> + 'static>(text: &str) -> Option<Box<dyn Held>> {
    let value: T = serde_json::from_str(text).ok()?;
    Some(Box::new(value))
}

fn parse(c: &mut Criterion) {
    for (fields, tool, text) in [("3 fields", "Three", THREE), ("12 fields", "Twelve", TWELVE)] {
        let mut group = c.benchmark_group(format!("schema_parse/{fields}"));
        let (tool, input) = (pooled(tool), RawInput::new(text));
        assert!(tool.parse(&input, Origin::Model).is_ok_and(|parsed| parsed.coercions().is_empty()));
        group.bench_function("bare from_str", |b| match fields {
            "3 fields" => b.iter(|| serde_json::from_str::<BareThree>(black_box(text)).is_ok()),
            _twelve => b.iter(|| serde_json::from_str::<BareTwelve>(black_box(text)).is_ok()),
        });
        // What any call costs that outlives its parsing: an allocation and its release.
        group.bench_function("bare from_str, boxed", |b| match fields {
            "3 fields" => b.iter(|| boxed::<BareThree>(black_box(text))),
            _twelve => b.iter(|| boxed::<BareTwelve>(black_box(text))),
        });
        group.bench_function("parse", |b| b.iter(|| tool.parse(black_box(&input), Origin::Model).is_ok()));
        group.finish();
    }
    let mut group = c.benchmark_group("schema_parse/3 fields");
    let tool = pooled("Three");
    for (what, text, is_ok) in
        [("one field converted", CONVERTED, true), ("refused with four problems", REFUSED, false)]
    {
        let input = RawInput::new(text);
        assert_eq!(tool.parse(&input, Origin::Model).is_ok(), is_ok);
        group.bench_function(what, |b| b.iter(|| tool.parse(black_box(&input), Origin::Model).is_ok()));
    }
    group.finish();
}

/// The ratios that are promised.
fn ratios(_: &mut Criterion) {
    in_turn::<BareThree>("3 fields", "Three", THREE);
    in_turn::<BareTwelve>("12 fields", "Twelve", TWELVE);
}

fn in_turn<Bare: for<'de> Deserialize<'de> + 'static>(title: &str, tool: &str, text: &str) {
    let (tool, input) = (pooled(tool), RawInput::new(text));
    InTurn::new(4_000, 200)
        .with("bare from_str", || serde_json::from_str::<Bare>(black_box(text)))
        .with("bare from_str, boxed", || boxed::<Bare>(black_box(text)))
        .with("parse", || tool.parse(black_box(&input), Origin::Model))
        .print(title);
}

fn fetch(c: &mut Criterion) {
    let tool = pooled("Twelve");
    let mut group = c.benchmark_group("schema_fetch");
    group.bench_function("schema from the session", |b| b.iter(|| black_box(&tool).schema().text().len()));
    group.bench_function("definition from the session", |b| b.iter(|| black_box(&tool).definition().len()));
    group.finish();
}

criterion_group!(benches, ratios, parse, fetch);
criterion_main!(benches);
