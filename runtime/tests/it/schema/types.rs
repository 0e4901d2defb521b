//! The zoo: types as people write them for the fields of a tool, with their own serde and schemars derives.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

macro_rules! plain {
    ($($(#[$attribute:meta])* $kind:ident $name:ident $body:tt)*) => {
        $(#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)] $(#[$attribute])* pub(super) $kind $name $body)*
    };
}

plain! {
    #[serde(deny_unknown_fields)]
    struct Closed { a: u8, b: Option<String> }
    struct Open { a: u8, b: Option<String> }
    #[serde(deny_unknown_fields, default)]
    struct Defaults { a: u8, b: String, c: Vec<u8> }
    #[serde(deny_unknown_fields, rename_all = "camelCase")]
    struct Renamed { old_name: u8, #[serde(rename = "new name")] other: bool }
    #[serde(deny_unknown_fields)]
    struct Deep { closed: Closed, list: Vec<Closed>, maybe: Option<Closed>, map: BTreeMap<String, Closed> }
    #[serde(deny_unknown_fields)]
    struct Tree { value: u8, children: Vec<Tree> }
    #[serde(deny_unknown_fields)]
    struct Chain { value: u8, next: Option<Box<Chain>> }
    struct Flattened { a: u8, #[serde(flatten)] rest: Open2 }
    struct Open2 { c: u16, d: Option<bool> }
    struct FlattenedMap { a: u8, #[serde(flatten)] rest: BTreeMap<String, u16> }
    struct FlattenedEnum { a: u8, #[serde(flatten)] rest: Internal }
    #[serde(deny_unknown_fields)]
    struct Bounded {
        #[schemars(range(min = 1, max = 9))] low: u32,
        #[schemars(length(min = 1, max = 3))] text: String,
        #[schemars(length(min = 1, max = 2))] list: Vec<u8>,
        #[schemars(regex(pattern = "^[a-z]*$"))] word: String,
    }
    #[serde(deny_unknown_fields)]
    struct Many { a: i64, b: f64, c: bool, d: String, e: Vec<String>, f: Option<f64>, g: (u8, String), h: Named }
    #[serde(transparent)]
    struct Transparent { inner: Vec<u16> }
    enum Named { One, Two, #[serde(rename = "number three")] Three }
    enum Explained {
        /// The first.
        One,
        /// The second.
        Two,
    }
    enum External { Nothing, Number(u8), Pair(u8, String), Fields { a: u8, b: Option<bool> } }
    #[serde(deny_unknown_fields)]
    enum ExternalClosed { Nothing, Fields { a: u8 } }
    #[serde(tag = "kind", rename_all = "lowercase")]
    enum Internal { Circle { radius: u16 }, Square { side: u16, solid: Option<bool> }, Nothing }
    #[serde(tag = "kind", deny_unknown_fields)]
    enum InternalClosed { Circle { radius: u16 }, Square { side: u16 } }
    #[serde(tag = "kind")]
    enum InternalNewtype { One(Open), Two(Open2) }
    #[serde(tag = "kind", content = "of", deny_unknown_fields)]
    enum Adjacent { Number(u8), Fields { a: u8 }, Nothing }
    #[serde(untagged)]
    enum Untagged { Flag(bool), Number(u8), Text(String), List(Vec<u8>) }
    #[serde(untagged)]
    enum UntaggedStructs { First { a: u8 }, Second { b: Vec<u16> } }
    #[serde(untagged)]
    enum NumberOrList { Number(u32), List(Vec<u32>) }
    #[serde(untagged)]
    enum NumberOrText { Number(u32), Text(String) }
}

impl Default for Defaults {
    fn default() -> Defaults {
        Defaults { a: 3, b: "b".to_owned(), c: vec![1] }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Pair<A, B> {
    first: A,
    second: B,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(super) struct Newtype(u16);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(super) struct NewtypeOfStruct(Closed);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(super) struct TupleStruct(u8, String);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(super) struct UnitStruct;

/// A struct with the strictness of the tools themselves.
#[derive(Clone, Debug, PartialEq, Serialize, toolwright::Params)]
pub(super) struct Strict {
    /// A number.
    number: u8,
    /// A text.
    text: Option<String>,
    /// A list.
    #[serde(default)]
    list: Vec<StrictKind>,
}

/// An enum with it.
#[derive(Clone, Debug, PartialEq, Serialize, toolwright::Params)]
pub(super) enum StrictKind {
    /// Nothing.
    Nothing,
    /// A number.
    Number(i16),
    /// Fields.
    Fields {
        /// A number.
        a: u8,
        /// Yes or no.
        b: Option<bool>,
    },
}

/// An enum with it whose tag is inside.
#[derive(Clone, Debug, PartialEq, Serialize, toolwright::Params)]
#[serde(tag = "kind")]
pub(super) enum StrictTagged {
    /// One.
    One {
        /// A number.
        a: u8,
    },
    /// Two.
    Two {
        /// A list.
        b: Vec<u16>,
    },
}

/// An enum with it that has no tag.
#[derive(Clone, Debug, PartialEq, Serialize, toolwright::Params)]
#[serde(untagged)]
pub(super) enum StrictUntagged {
    /// One.
    One {
        /// A number.
        a: u8,
    },
    /// A text.
    Text(String),
}

/// A struct with it whose fields and enum have other names too.
#[derive(Clone, Debug, PartialEq, Serialize, toolwright::Params)]
pub(super) struct Aliased {
    /// A number.
    #[serde(alias = "n", alias = "no")]
    number: u8,
    /// A choice.
    #[serde(default, alias = "choice")]
    kind: Option<AliasedKind>,
}

/// An enum with it whose variants have other names too.
#[derive(Clone, Debug, PartialEq, Serialize, toolwright::Params)]
pub(super) enum AliasedKind {
    /// Nothing.
    #[serde(alias = "None")]
    Nothing,
    /// Fields.
    #[serde(alias = "Some")]
    Fields {
        /// A number.
        #[serde(alias = "b")]
        a: u8,
    },
}

/// An enum with it whose names stand beside the content.
#[derive(Clone, Debug, PartialEq, Serialize, toolwright::Params)]
#[serde(tag = "kind", content = "of", rename_all_fields = "camelCase")]
pub(super) enum AliasedAdjacent {
    /// Nothing.
    #[serde(alias = "none", alias = "")]
    Nothing,
    /// A number.
    #[serde(alias = "num")]
    Number(u8),
    /// Fields.
    #[serde(alias = "some")]
    Fields {
        /// A number.
        #[serde(alias = "b")]
        first_field: u8,
    },
}

/// What is looked at in the zoo: a name and its type.
macro_rules! with_zoo {
    ($callback:ident) => {
        $callback! {
            Bool: bool, U8: u8, U16: u16, U32: u32, U64: u64, U128: u128, Usize: usize,
            I8: i8, I16: i16, I32: i32, I64: i64, I128: i128, Isize: isize, F32: f32, F64: f64,
            Char: char, Text: String, Path: PathBuf, Shared: Arc<str>, Borrowed: Cow<'static, str>, Boxed: Box<u8>,
            NotZero: NonZeroU8, NotZeroSigned: NonZeroI32, Nothing: (), Unit: UnitStruct,
            Maybe: Option<u8>, MaybeText: Option<String>, MaybeClosed: Option<Closed>, MaybeNamed: Option<Named>,
            MaybeFloat: Option<f64>, MaybeExternal: Option<External>,
            Texts: Vec<String>, Lists: Vec<Vec<u8>>, Maybes: Vec<Option<bool>>, Three: [u8; 3], Two: (u8, String), Set: BTreeSet<u8>,
            MapOfNumbers: BTreeMap<String, u32>, MapOfStructs: BTreeMap<String, Closed>, MapByNumber: BTreeMap<u32, String>,
            Anything: Value, AnyMap: Map<String, Value>, Outcome: Result<u8, String>, Span: Range<u32>, Time: Duration, Address: IpAddr,
            Closed: Closed, Open: Open, Defaults: Defaults, Renamed: Renamed, Deep: Deep, Tree: Tree, Chain: Chain,
            Generic: Pair<u8, Vec<bool>>, GenericNested: Pair<Closed, Option<Pair<u8, u8>>>,
            Flattened: Flattened, FlattenedMap: FlattenedMap, FlattenedEnum: FlattenedEnum,
            Bounded: Bounded, Many: Many, Transparent: Transparent, Newtype: Newtype, NewtypeOfStruct: NewtypeOfStruct,
            TupleStruct: TupleStruct, Named: Named, Explained: Explained, External: External, ExternalClosed: ExternalClosed,
            Internal: Internal, InternalClosed: InternalClosed, InternalNewtype: InternalNewtype, Adjacent: Adjacent,
            Strict: Strict, StrictKind: StrictKind, StrictTagged: StrictTagged, StrictUntagged: StrictUntagged,
            Aliased: Aliased, AliasedKind: AliasedKind, AliasedAdjacent: AliasedAdjacent, MaybeStrict: Option<Strict>, StrictList: Vec<Strict>,
            Untagged: Untagged, UntaggedStructs: UntaggedStructs, NumberOrList: NumberOrList, NumberOrText: NumberOrText,
        }
    };
}
pub(super) use with_zoo;
