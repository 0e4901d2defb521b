//! Front matter that is YAML. References are not followed: a few of them can stand for more text than there is room.

use saphyr_parser::{Event, Parser, ScalarStyle};

use super::Value;

/// How deep lists and tables may be in each other.
const DEPTH_MAX: usize = 16;
/// How long the words of a parser may be.
const WHY_CHARS_MAX: usize = 120;

/// Reads a table.
///
/// # Errors
/// Why it is none.
pub(super) fn read(text: &str) -> Result<Vec<(String, Value)>, String> {
    let mut reader = Reader { events: Parser::new_from_str(text) };
    loop {
        match reader.next()? {
            Event::Nothing | Event::StreamStart | Event::DocumentStart(_) => {}
            Event::StreamEnd | Event::DocumentEnd => return Ok(Vec::new()),
            Event::MappingStart(..) => break,
            Event::Scalar(text, ScalarStyle::Plain, ..) if text.is_empty() || &*text == "~" => {
                return Ok(Vec::new());
            }
            Event::Alias(_)
            | Event::Scalar(..)
            | Event::SequenceStart(..)
            | Event::SequenceEnd
            | Event::MappingEnd => return Err("it is no table of keys and values".to_owned()),
        }
    }
    let fields = reader.map(0)?;
    loop {
        match reader.next()? {
            Event::StreamEnd => return Ok(fields),
            Event::Nothing | Event::DocumentEnd => {}
            _more => return Err("something follows its table".to_owned()),
        }
    }
}

struct Reader<'a> {
    events: Parser<'a, saphyr_parser::StrInput<'a>>,
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Result<Event<'a>, String> {
        match self.events.next() {
            Some(Ok((event, _place))) => Ok(event),
            Some(Err(error)) => {
                let why: String = error.to_string().chars().take(WHY_CHARS_MAX).collect();
                Err(why.replace('\n', " "))
            }
            None => Ok(Event::StreamEnd),
        }
    }

    fn map(&mut self, depth: usize) -> Result<Vec<(String, Value)>, String> {
        let mut fields = Vec::new();
        loop {
            match self.next()? {
                Event::MappingEnd => return Ok(fields),
                Event::Scalar(key, ..) => {
                    let event = self.next()?;
                    fields.push((key.into_owned(), self.value(event, depth + 1)?));
                }
                Event::StreamEnd => return Err("it ends in the middle".to_owned()),
                _other => return Err("a key is no text".to_owned()),
            }
        }
    }

    fn value(&mut self, event: Event<'a>, depth: usize) -> Result<Value, String> {
        if depth > DEPTH_MAX {
            return Err(format!("lists and tables are more than {DEPTH_MAX} deep in each other"));
        }
        match event {
            Event::Scalar(text, ScalarStyle::Plain, ..) if matches!(&*text, "" | "~" | "null") => {
                Ok(Value::Null)
            }
            Event::Scalar(text, style, ..) => {
                Ok(Value::Text { text: text.into_owned(), is_quoted: style != ScalarStyle::Plain })
            }
            Event::SequenceStart(..) => {
                let mut items = Vec::new();
                loop {
                    match self.next()? {
                        Event::SequenceEnd => return Ok(Value::List(items)),
                        event => items.push(self.value(event, depth + 1)?),
                    }
                }
            }
            Event::MappingStart(..) => Ok(Value::Map(self.map(depth)?)),
            Event::Alias(_) => Err("it refers to another part of itself".to_owned()),
            Event::Nothing
            | Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentStart(_)
            | Event::DocumentEnd
            | Event::SequenceEnd
            | Event::MappingEnd => Err("it ends in the middle".to_owned()),
        }
    }
}
