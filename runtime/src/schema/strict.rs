//! Closes what a derived parser takes besides what its schema says: an array for a struct, and an object for the bare
//! name of a variant.
//!
//! Each adapter changes how one level is read and nothing below it: every type with strict reading wraps itself.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::StrDeserializer;
use serde::de::{
    self, DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer, MapAccess, VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;

/// Reads a struct, or an enum whose tag is one of its fields, from an object only.
pub struct ObjectOnly<D>(pub D);

impl<'de, D: Deserializer<'de>> Deserializer<'de> for ObjectOnly<D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_map(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.0.deserialize_map(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

/// Reads an enum: a variant without content from its name only, one with content from an object of one entry.
pub struct NamedVariant<D>(pub D);

impl<'de, D: Deserializer<'de>> Deserializer<'de> for NamedVariant<D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_any(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.0.deserialize_any(VariantVisitor(visitor))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

struct VariantVisitor<V>(V);

impl<'de, V: Visitor<'de>> Visitor<'de> for VariantVisitor<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.expecting(f)
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<V::Value, E> {
        let name: StrDeserializer<'_, E> = name.into_deserializer();
        self.0.visit_enum(name)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V::Value, A::Error> {
        self.0.visit_enum(ObjectVariant(map))
    }
}

/// A variant with content: an object whose one entry has the variant's name.
struct ObjectVariant<A>(A);

impl<'de, A: MapAccess<'de>> EnumAccess<'de> for ObjectVariant<A> {
    type Error = A::Error;
    type Variant = ObjectVariant<A>;

    fn variant_seed<S: DeserializeSeed<'de>>(mut self, seed: S) -> Result<(S::Value, Self), A::Error> {
        match self.0.next_key_seed(seed)? {
            Some(name) => Ok((name, self)),
            None => Err(de::Error::custom("expected the name of a variant, received an empty object")),
        }
    }
}

impl<'de, A: MapAccess<'de>> ObjectVariant<A> {
    fn only<S: DeserializeSeed<'de>>(mut self, seed: S) -> Result<S::Value, A::Error> {
        let value = self.0.next_value_seed(seed)?;
        match self.0.next_key::<de::IgnoredAny>()? {
            None => Ok(value),
            Some(_more) => {
                Err(de::Error::custom("expected one variant, received an object with several entries"))
            }
        }
    }
}

impl<'de, A: MapAccess<'de>> VariantAccess<'de> for ObjectVariant<A> {
    type Error = A::Error;

    fn unit_variant(self) -> Result<(), A::Error> {
        Err(de::Error::custom("expected the name of the variant alone, received an object"))
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, A::Error> {
        self.only(seed)
    }

    fn tuple_variant<V: Visitor<'de>>(self, length: usize, visitor: V) -> Result<V::Value, A::Error> {
        self.only(Shape { read: Read::Tuple(length), visitor, of: PhantomData })
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        self.only(Shape { read: Read::Object, visitor, of: PhantomData })
    }
}

enum Read {
    Tuple(usize),
    Object,
}

/// The content of a variant, read in one shape.
struct Shape<'de, V> {
    read: Read,
    visitor: V,
    of: PhantomData<&'de ()>,
}

impl<'de, V: Visitor<'de>> DeserializeSeed<'de> for Shape<'de, V> {
    type Value = V::Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<V::Value, D::Error> {
        match self.read {
            Read::Tuple(length) => deserializer.deserialize_tuple(length, self.visitor),
            Read::Object => deserializer.deserialize_map(self.visitor),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, PartialEq, Deserialize)]
    struct Point {
        x: i32,
        y: i32,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    enum Shape {
        Nothing,
        Circle(u32),
        Line(u32, u32),
        Box { width: u32 },
    }

    fn point(text: &str) -> Result<Point, serde_json::Error> {
        Point::deserialize(ObjectOnly(&mut serde_json::Deserializer::from_str(text)))
    }

    fn shape(text: &str) -> Result<Shape, serde_json::Error> {
        Shape::deserialize(NamedVariant(&mut serde_json::Deserializer::from_str(text)))
    }

    #[test]
    fn a_struct_is_read_from_an_object_only() {
        assert_eq!(point(r#"{"x":1,"y":2}"#).ok(), Some(Point { x: 1, y: 2 }));
        assert!(point("[1,2]").is_err());
        assert!(serde_json::from_str::<Point>("[1,2]").is_ok(), "what is closed here");
    }

    #[test]
    fn a_variant_is_read_in_its_one_form() {
        assert_eq!(shape(r#""Nothing""#).ok(), Some(Shape::Nothing));
        assert_eq!(shape(r#"{"Circle":3}"#).ok(), Some(Shape::Circle(3)));
        assert_eq!(shape(r#"{"Line":[1,2]}"#).ok(), Some(Shape::Line(1, 2)));
        assert_eq!(shape(r#"{"Box":{"width":4}}"#).ok(), Some(Shape::Box { width: 4 }));
        for wrong in [
            r#"{"Nothing":null}"#,
            r#"{"Box":[4]}"#,
            r#"{"Circle":3,"Nothing":null}"#,
            r#""Circle""#,
            "{}",
            "[]",
            "null",
        ] {
            assert!(shape(wrong).is_err(), "{wrong}");
        }
        assert!(serde_json::from_str::<Shape>(r#"{"Nothing":null}"#).is_ok(), "what is closed here");
    }
}
