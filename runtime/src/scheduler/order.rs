//! One outcome slot per call, and results handed over in the order of the calls.

use std::task::{Context, Poll, Waker};

/// The slots of one turn. Each is filled once and emptied once, from the first to the last.
#[derive(Debug)]
pub(super) struct Slots<R> {
    slots: Vec<Slot<R>>,
    /// How many results were handed over.
    handed: usize,
    consumer: Option<Waker>,
}

#[derive(Debug)]
enum Slot<R> {
    Empty,
    Full(R),
    Handed,
}

impl<R> Slots<R> {
    /// Slots with room for so many calls before they grow.
    pub(super) fn with_room(calls: usize) -> Slots<R> {
        Slots { slots: Vec::with_capacity(calls), handed: 0, consumer: None }
    }

    pub(super) fn push(&mut self) {
        self.slots.push(Slot::Empty);
    }

    pub(super) fn is_empty_at(&self, index: usize) -> bool {
        matches!(self.slots[index], Slot::Empty)
    }

    /// Whether every result was handed over.
    pub(super) fn is_through(&self) -> bool {
        self.handed == self.slots.len()
    }

    /// Fills a slot; a second result is refused. Gives the waker of whoever waits for this very result.
    pub(super) fn fill(&mut self, index: usize, result: R) -> Result<Option<Waker>, R> {
        if !self.is_empty_at(index) {
            return Err(result);
        }
        self.slots[index] = Slot::Full(result);
        Ok(if index == self.handed { self.consumer.take() } else { None })
    }

    /// What implanted bugs do: exchanges a slot with the full one behind it, where that is. Without an index it is the
    /// next one to hand over, if it is empty.
    pub(super) fn swap_with_full(&mut self, index: Option<usize>) {
        let at = index.unwrap_or(self.handed);
        let is_wanted = index.is_some() || matches!(self.slots.get(at), Some(Slot::Empty));
        if is_wanted && matches!(self.slots.get(at + 1), Some(Slot::Full(_))) {
            self.slots.swap(at, at + 1);
        }
    }

    /// The next result in the order of the calls; nothing when all were handed over.
    pub(super) fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<R>> {
        match self.slots.get_mut(self.handed) {
            None => Poll::Ready(None),
            Some(slot @ Slot::Full(_)) => {
                self.handed += 1;
                match std::mem::replace(slot, Slot::Handed) {
                    Slot::Full(result) => Poll::Ready(Some(result)),
                    Slot::Empty | Slot::Handed => unreachable!("the slot was full a moment ago"),
                }
            }
            Some(Slot::Empty | Slot::Handed) => {
                match &mut self.consumer {
                    Some(waker) => waker.clone_from(cx.waker()),
                    none => *none = Some(cx.waker().clone()),
                }
                Poll::Pending
            }
        }
    }
}
