//! Schemas and problems are the same bytes whichever map type `serde_json` was built with: a feature that any crate of
//! a build can turn on for all.

use crate::outside_crate::run_crate_with;

#[test]
fn bytes_do_not_depend_on_the_order_that_maps_keep() {
    let source = include_str!("../../outside/schema_text.rs");
    let sorted = run_crate_with("outside-schema-sorted", source, "");
    let preserved = run_crate_with(
        "outside-schema-preserved",
        source,
        "serde_json = { version = \"1\", features = [\"preserve_order\"] }\n",
    );
    assert_eq!(sorted, preserved);
    assert!(sorted.starts_with(r#"{"type":"object","properties":{"zone":"#), "{sorted}");
    assert_eq!(sorted.lines().filter(|line| line.starts_with("- `")).count(), 7, "{sorted}");
}
