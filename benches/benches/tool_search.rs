//! Searching for tools among more and more of them: the index made, and a query once it is there.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use toolwright::registry::search::{Query, RESULTS_DEFAULT, SearchDoc, SearchIndex};

const TOOLS: [usize; 3] = [100, 1_000, 10_000];
const VERBS: [&str; 12] = [
    "create", "list", "update", "delete", "search", "send", "get", "open", "close", "merge", "export",
    "import",
];
const NOUNS: [&str; 20] = [
    "issue", "pull", "message", "channel", "file", "folder", "user", "team", "invoice", "order", "event",
    "calendar", "contact", "note", "page", "table", "chart", "deploy", "build", "branch",
];

fn docs(tools: usize) -> Vec<(String, String)> {
    let doc = |n: usize| {
        let (verb, noun) = (VERBS[n % VERBS.len()], NOUNS[n / VERBS.len() % NOUNS.len()]);
        let other = NOUNS[(n * 7 + 3) % NOUNS.len()];
        let name = format!("mcp__server{}__{verb}_{noun}_{n}", n % 40);
        let text = format!(
            "Can {verb} one {noun} of a project, with its {other} and what belongs to it. Takes the identifier of the {noun}, \
             and a limit; gives the fields of kind {} as they are kept.",
            n % 97
        );
        (name, text)
    };
    (0..tools).map(doc).collect()
}

fn search(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("tool_search");
    for tools in TOOLS {
        let docs = docs(tools);
        let docs: Vec<SearchDoc<'_>> =
            docs.iter().map(|(name, text)| SearchDoc { name, hint: "", description: text }).collect();
        group
            .bench_function(BenchmarkId::new("build", tools), |bench| bench.iter(|| SearchIndex::new(&docs)));
        let index = SearchIndex::new(&docs);
        let queries = [
            ("words", "create invoice"),
            ("common", "identifier of the project"),
            ("six_common", "identifier project belong take limit field"),
            ("must", "+calendar event export"),
            ("exact", "mcp__server7__list_issue_7"),
            ("select", "select:mcp__server7__list_issue_7,mcp__server1__update_pull_1"),
        ];
        for (kind, text) in queries {
            group.bench_function(BenchmarkId::new(kind, tools), |bench| {
                bench.iter(|| index.search(&Query::new(text), RESULTS_DEFAULT));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, search);
criterion_main!(benches);
