//! Putting a pool together: 45 tools of the program's own and more and more remote ones, from nothing and again; and the
//! list as it is sent, from what was made before, without an allocation.

use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use serde_json::json;
use toolwright::contract::{ErasedTool, SessionFacts};
use toolwright::message::Content;
use toolwright::registry::{Catalogue, Deferral, Pool};
use toolwright_tools::add_tool_search;
use toolwright_tools::described::DescribedTool;

const OWN: usize = 45;
const REMOTE: [usize; 3] = [10, 1_000, 10_000];

/// The system's allocator, which counts.
struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

#[global_allocator]
static COUNTING: Counting = Counting;

// SAFETY: whatever is asked for is passed on to the system's allocator as it is.
#[expect(unsafe_code, reason = "no allocator can be written without")]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller keeps to what the trait asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: it was allocated above, with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// Asserts that the list is handed out as it was made, without an allocation.
fn assert_allocates_nothing(pool: &Pool) {
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    for _ in 0..1_000 {
        black_box(black_box(pool).list().len());
    }
    assert_eq!(ALLOCATIONS.load(Ordering::Relaxed), before, "the list is made once");
}

fn tool(name: &str) -> Arc<dyn ErasedTool> {
    let schema = json!({
        "type": "object",
        "properties": {"id": {"type": "string"}, "limit": {"type": "integer", "minimum": 1}},
        "required": ["id"],
    });
    let described =
        DescribedTool::new(name, format!("Does what {name} does."), schema, |_input, _cx| async {
            Ok(Content::from("done"))
        });
    Arc::new(described.expect("the schema is one"))
}

fn catalogue(remote: usize) -> Catalogue {
    let mut catalogue = Catalogue::new();
    add_tool_search(&mut catalogue);
    for n in 1..OWN {
        catalogue.add_erased(tool(&format!("Own{n}"))).expect("the name is one");
    }
    // As they would come: in no order.
    for n in 0..remote {
        let n = (n * 7_919) % remote;
        catalogue.add_remote(tool(&format!("mcp__server{}__tool_{n}", n % 20))).expect("the name is one");
    }
    catalogue
}

fn assembly(criterion: &mut Criterion) {
    let facts = SessionFacts::default();
    let mut group = criterion.benchmark_group("registry_assembly");
    for remote in REMOTE {
        let catalogue = catalogue(remote);
        group.bench_function(BenchmarkId::new("pool", remote), |bench| {
            bench.iter(|| Pool::new(&catalogue, &facts, |_| true).with_deferral(Deferral::default()));
        });
        group.bench_function(BenchmarkId::new("pool_and_list", remote), |bench| {
            bench.iter(|| {
                let pool = Pool::new(&catalogue, &facts, |_| true).with_deferral(Deferral::standard());
                Arc::clone(pool.list())
            });
        });
        let pool = Pool::new(&catalogue, &facts, |_| true).with_deferral(Deferral::standard());
        group.bench_function(BenchmarkId::new("arrivals", remote), |bench| {
            let again: Vec<Arc<dyn ErasedTool>> = catalogue.remote().to_vec();
            bench.iter(|| pool.with_arrivals(&again, |_| None));
        });
        let _made = pool.list();
        assert_allocates_nothing(&pool);
        group.bench_function(BenchmarkId::new("list_warm", remote), |bench| bench.iter(|| pool.list().len()));
    }
    group.finish();
}

criterion_group!(benches, assembly);
criterion_main!(benches);
