//! The list of things to do that agents share with whoever started them.

use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

/// One thing to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Todo {
    /// What is to be done.
    pub content: String,
    /// How far it is.
    pub status: TodoStatus,
    /// What is being done, while it is.
    pub active_form: String,
}

/// How far a thing to do is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TodoStatus {
    /// Nobody has begun.
    Pending,
    /// Somebody is at it.
    InProgress,
    /// It is done.
    Completed,
}

/// A list of things to do. Cheap to clone; clones share.
#[derive(Clone, Debug, Default)]
pub struct Todos(Arc<Mutex<Vec<Todo>>>);

impl Todos {
    /// The list as it is now.
    #[must_use]
    pub fn now(&self) -> Vec<Todo> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Puts another list in its place; gives the one before.
    pub fn replace(&self, todos: Vec<Todo>) -> Vec<Todo> {
        std::mem::replace(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner), todos)
    }
}
