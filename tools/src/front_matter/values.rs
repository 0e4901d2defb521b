//! The values of front matter, and the loose ways in which people write them.

/// A value of front matter.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Nothing.
    Null,
    /// A text, or a number as it is written.
    Text {
        /// The text.
        text: String,
        /// Whether it stood in quotes or in a block, where nothing in it means anything else.
        is_quoted: bool,
    },
    /// A list.
    List(Vec<Value>),
    /// A table.
    Map(Vec<(String, Value)>),
}

impl Value {
    pub(super) fn plain(text: impl Into<String>) -> Value {
        Value::Text { text: text.into(), is_quoted: false }
    }

    /// The text, where it is one.
    #[must_use]
    pub fn text(&self) -> Option<String> {
        match self {
            Value::Text { text, .. } => Some(text.clone()),
            Value::Null | Value::List(_) | Value::Map(_) => None,
        }
    }

    /// Yes or no, where it is one of their names.
    #[must_use]
    pub fn switch(&self) -> Option<bool> {
        match self.text()?.trim().to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" | "1" => Some(true),
            "false" | "no" | "off" | "0" => Some(false),
            _other => None,
        }
    }

    /// The same as JSON: what stands without quotes may be a number or a yes or no.
    #[must_use]
    pub fn to_json(&self) -> serde_json::Value {
        match self {
            Value::Null => serde_json::Value::Null,
            Value::Text { text, is_quoted: true } => text.clone().into(),
            Value::Text { text, is_quoted: false } => match text.as_str() {
                "true" => true.into(),
                "false" => false.into(),
                text => text.parse::<serde_json::Number>().map_or_else(|_error| text.into(), Into::into),
            },
            Value::List(items) => items.iter().map(Value::to_json).collect::<Vec<_>>().into(),
            Value::Map(fields) => {
                let fields = fields.iter().map(|(key, value)| (key.clone(), value.to_json()));
                serde_json::Value::Object(fields.collect())
            }
        }
    }

    /// The names in it: of a list, or of a text with commas between, or, without a comma, white space. What stands in
    /// brackets is not taken apart. Nothing where it is a table.
    #[must_use]
    pub fn names(&self) -> Option<Vec<String>> {
        match self {
            Value::Null => Some(Vec::new()),
            Value::Text { text, .. } => Some(apart(text)),
            Value::List(items) => items.iter().map(Value::text).collect::<Option<Vec<_>>>().map(tidy),
            Value::Map(_) => None,
        }
    }
}

fn tidy(names: Vec<String>) -> Vec<String> {
    names.into_iter().map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
}

fn apart(text: &str) -> Vec<String> {
    // A list in brackets that was read as a text.
    let inner = text.trim().strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let by = |is_end: fn(char) -> bool| {
        let mut depth = 0_usize;
        let mut names = vec![String::new()];
        for c in inner.unwrap_or(text).chars() {
            match c {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                _other => {}
            }
            if depth == 0 && is_end(c) {
                names.push(String::new());
            } else if let Some(name) = names.last_mut() {
                name.push(c);
            }
        }
        let quotes = |name: String| name.trim().trim_matches(['"', '\'']).to_owned();
        tidy(names.into_iter().map(quotes).collect())
    };
    let by_comma = by(|c| c == ',' || c == '\n');
    if by_comma.len() > 1 { by_comma } else { by(|c| c.is_whitespace() || c == ',') }
}
