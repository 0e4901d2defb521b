//! Where a command line is, and what it knows, at one of its points.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use toolwright::contract::EffectsContext;

use super::word::{Origin, Word};

/// How many working directories are followed at once.
const SPOTS_MAX: usize = 4;

/// One working directory that commands may have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Spot {
    /// Nothing where it cannot be told.
    path: Option<PathBuf>,
    /// Whether it is where the call begins, and no `cd` came before.
    is_start: bool,
    /// Whether the home there is the session's.
    has_home: bool,
}

/// What a variable holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// This text.
    Known(String),
    /// The name of a file that this text with wildcards stands for.
    Wild(String),
    /// What is not known.
    Unknown(Origin),
}

/// What is so at one point of a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct State {
    /// Every working directory that it may have; never empty.
    pub(crate) spots: Vec<Spot>,
    /// The variables that were set; others are inherited.
    pub(crate) variables: BTreeMap<String, Value>,
    /// Whether something was set that programs may heed, so that none is known to change nothing.
    pub(crate) is_altered: bool,
}

/// What is so behind a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct After {
    /// If it succeeded.
    pub(crate) success: State,
    /// However it ended.
    pub(crate) any: State,
}

impl From<State> for After {
    fn from(state: State) -> After {
        After { success: state.clone(), any: state }
    }
}

impl State {
    pub(crate) fn new(cx: &EffectsContext<'_>) -> State {
        let spots = vec![Spot { path: Some(cx.absolute(cx.cwd)), is_start: true, has_home: true }];
        State { spots, variables: BTreeMap::new(), is_altered: false }
    }

    /// What a variable holds.
    pub(crate) fn value(&self, name: &str, cx: &EffectsContext<'_>) -> Value {
        match (name, self.variables.get(name)) {
            (_name, Some(value)) => value.clone(),
            ("HOME", None) => known(cx.home),
            ("PWD", None) => match self.spots.as_slice() {
                [only] => known(only.path.as_deref()),
                _several => Value::Unknown(Origin::Computed),
            },
            ("RANDOM" | "SECONDS" | "EPOCHSECONDS" | "UID" | "EUID" | "PPID" | "LINENO", None) => {
                Value::Unknown(Origin::Number)
            }
            (_name, None) => Value::Unknown(Origin::Inherited),
        }
    }

    pub(crate) fn set(&mut self, name: &str, value: Value) {
        self.variables.insert(name.to_owned(), value);
    }

    /// What is so when either may have been.
    pub(crate) fn merge(mut self, other: &State) -> State {
        let names: Vec<String> = self.variables.keys().chain(other.variables.keys()).cloned().collect();
        for name in names {
            let value = match (self.variables.get(&name), other.variables.get(&name)) {
                (Some(ours), Some(theirs)) => ours.merge(theirs),
                (_one, _alone) => Value::Unknown(Origin::Inherited),
            };
            self.variables.insert(name, value);
        }
        for spot in &other.spots {
            if !self.spots.contains(spot) {
                self.spots.push(spot.clone());
            }
        }
        if self.spots.len() > SPOTS_MAX {
            self.lose_place();
        }
        self.is_altered |= other.is_altered;
        self
    }

    /// What is so in another shell that is started here: of the variables that are set it has those that are exported,
    /// which may be none. It may have another home too.
    pub(crate) fn of_another(&self, has_other_home: bool) -> State {
        let mut state = self.clone();
        state.variables.values_mut().for_each(|value| *value = Value::Unknown(Origin::Inherited));
        if has_other_home {
            state.set("HOME", Value::Unknown(Origin::Inherited));
            state.spots.iter_mut().for_each(|spot| spot.has_home = false);
        }
        state
    }

    pub(crate) fn lose_place(&mut self) {
        let has_home = self.spots.iter().all(|spot| spot.has_home);
        self.spots = vec![Spot { path: None, is_start: false, has_home }];
    }

    /// From here on, nothing that was set counts, and neither does where it was.
    pub(crate) fn forget(&mut self) {
        self.lose_place();
        self.is_altered = true;
        self.variables.values_mut().for_each(|value| *value = Value::Unknown(Origin::Inherited));
        for name in ["HOME", "PWD"] {
            self.set(name, Value::Unknown(Origin::Inherited));
        }
    }

    /// Goes elsewhere, as `cd` does: from everywhere that it may be.
    pub(crate) fn go(&mut self, target: &Word, cx: &EffectsContext<'_>) -> Result<(), String> {
        let mut spots: Vec<Spot> = Vec::new();
        for spot in &self.spots {
            // The shell takes `..` by name here.
            let path = cx.absolute(spot.resolve(target, cx)?);
            let is_same = spot.path.as_ref() == Some(&path);
            let spot = Spot { path: Some(path), is_start: is_same && spot.is_start, has_home: spot.has_home };
            if !spots.contains(&spot) {
                spots.push(spot);
            }
        }
        self.spots = spots;
        Ok(())
    }
}

fn known(path: Option<&Path>) -> Value {
    let text = path.and_then(Path::to_str).map(|text| Value::Known(text.to_owned()));
    text.unwrap_or(Value::Unknown(Origin::Inherited))
}

impl Value {
    fn merge(&self, other: &Value) -> Value {
        if self == other {
            return self.clone();
        }
        Value::Unknown(self.origin().max(other.origin()))
    }

    pub(crate) fn origin(&self) -> Origin {
        match self {
            Value::Known(text) if is_number(text) => Origin::Number,
            Value::Known(_) | Value::Wild(_) => Origin::Computed,
            Value::Unknown(origin) => *origin,
        }
    }
}

/// Whether a text is a decimal number, and short enough for any shell.
pub(crate) fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.len() < 16 && digits.bytes().all(|byte| byte.is_ascii_digit())
}

impl Spot {
    /// Whether relative paths hang on where the call began.
    pub(crate) fn is_start(&self) -> bool {
        self.is_start
    }

    /// The working directory.
    ///
    /// # Errors
    /// In words: why it cannot be told.
    pub(crate) fn here(&self) -> Result<PathBuf, String> {
        self.path.clone().ok_or_else(|| "the working directory".to_owned())
    }

    /// The absolute path that a word without wildcards means. It may have `..` in it where that may lead through a link.
    ///
    /// # Errors
    /// The piece for which it cannot be told.
    pub(crate) fn resolve(&self, word: &Word, cx: &EffectsContext<'_>) -> Result<PathBuf, String> {
        self.resolve_text(word, &word.value, cx)
    }

    /// The folder that a word with wildcards is looked for in, as far as it is named, and the names below it.
    pub(crate) fn folder_of(
        &self,
        word: &Word,
        cx: &EffectsContext<'_>,
    ) -> Result<(PathBuf, Vec<String>), String> {
        let is_wild = |part: &&str| part.contains(['*', '?', '[']);
        let parts: Vec<&str> = word.value.split('/').collect();
        let literal = parts.iter().position(is_wild).unwrap_or(parts.len());
        let below = parts[literal..].iter().map(|part| (*part).to_owned()).collect();
        if parts[literal..].contains(&"..") {
            return Err(word.typed.clone());
        }
        let folder = match &parts[..literal] {
            [] => self.here()?,
            [""] => PathBuf::from("/"),
            parts => self.resolve_text(word, &parts.join("/"), cx)?,
        };
        Ok((folder, below))
    }

    fn resolve_text(&self, word: &Word, text: &str, cx: &EffectsContext<'_>) -> Result<PathBuf, String> {
        let lost = || word.typed.clone();
        if text.is_empty() || !word.is_known() {
            return Err(lost());
        }
        let path = Path::new(text);
        if word.has_tilde {
            let is_home = self.has_home && (word.typed == "~" || word.typed.starts_with("~/"));
            return match (is_home, cx.home) {
                (true, Some(home)) => Ok(with_climbs(home, path.strip_prefix("~").map_err(|_| lost())?)),
                _other => Err(lost()),
            };
        }
        if path.is_absolute() {
            return Ok(with_climbs(Path::new("/"), path));
        }
        let here = self.here()?;
        Ok(if self.is_start { with_climbs(&here, path) } else { climbing(&here, path) })
    }
}

/// Joins a path, and takes `..` at its beginning by name. Further on it may lead through a link, and stays.
fn with_climbs(folder: &Path, path: &Path) -> PathBuf {
    let mut folder = folder.to_owned();
    let mut parts = path.components().peekable();
    while let Some(part) =
        parts.next_if(|part| matches!(part, Component::ParentDir | Component::CurDir | Component::RootDir))
    {
        match part {
            Component::ParentDir => drop(folder.pop()),
            Component::RootDir => folder = PathBuf::from("/"),
            Component::CurDir | Component::Prefix(_) | Component::Normal(_) => {}
        }
    }
    climbing(&folder, &parts.collect::<PathBuf>())
}

/// Joins a path with every `..` in it.
fn climbing(folder: &Path, path: &Path) -> PathBuf {
    path.components()
        .filter(|part| !matches!(part, Component::CurDir))
        .fold(folder.to_owned(), |path, part| path.join(part))
}
