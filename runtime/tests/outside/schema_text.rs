//! Prints the schemas of a tool, so that two builds of this crate can be compared byte for byte.

use std::collections::BTreeMap;

use toolwright::contract::SessionFacts;
use toolwright::prelude::*;
use toolwright::schema::{ProviderProfile, Schema};

/// Where it stands.
#[derive(Params)]
struct Place {
    /// From the top.
    y: u32,
    /// From the left.
    x: Option<u32>,
}

/// What it is.
#[derive(Params)]
enum Kind {
    /// One.
    Zebra,
    /// Another.
    Ant {
        /// How many.
        legs: u8,
        /// How old.
        age: Option<f64>,
    },
}

/// Has fields of many kinds, not in the order of their names.
#[tool(read_only)]
struct Many {
    /// Comes first.
    zone: String,
    /// Comes second.
    #[tool(example = "b")]
    middle: Option<String>,
    /// A struct.
    place: Place,
    /// An enum.
    kind: Option<Kind>,
    /// A map.
    map: BTreeMap<String, Place>,
    /// Comes last.
    a: Vec<Place>,
}

impl Tool for Many {
    type Output = String;

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        Ok(format!("{} {:?} {} {}", self.zone, self.middle, self.map.len(), self.a.len()))
    }
}

fn main() {
    // The fields are read somewhere, or they would be dead.
    let read = |many: &Many| {
        let kind = match &many.kind {
            Some(Kind::Ant { legs, age }) => format!("{legs} {age:?}"),
            Some(Kind::Zebra) | None => String::new(),
        };
        format!("{} {:?} {kind}", many.place.y, many.place.x)
    };
    let schema = Schema::of::<Many>(&SessionFacts::default());
    println!("{}", schema.text());
    for profile in ProviderProfile::ALL {
        match schema.for_profile(profile) {
            Ok(text) => println!("{text}"),
            Err(error) => println!("{error}"),
        }
    }
    for input in ["{\"b\":1,\"zone\":1,\"place\":{\"x\":\"a\",\"y\":-1},\"aa\":2}", "{\"zone\":\"z\",\"place\":{\"y\":\"1\"},\"map\":{},\"a\":[]}"] {
        match toolwright::testing::parse_input::<Many>(input, &()) {
            Ok(many) => println!("{}", read(&many)),
            Err(errors) => println!("{errors}"),
        }
    }
}
