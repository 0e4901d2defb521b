//! Choices made from a list of numbers, so that a failing case shrinks to a short list.

/// The choices of one case; where the list ends, the first option is chosen.
pub(super) struct Entropy<'a> {
    left: std::slice::Iter<'a, u16>,
}

impl<'a> Entropy<'a> {
    pub(super) fn new(choices: &'a [u16]) -> Entropy<'a> {
        Entropy { left: choices.iter() }
    }

    /// A number below `options`.
    pub(super) fn below(&mut self, options: usize) -> usize {
        self.left.next().map_or(0, |choice| usize::from(*choice) % options.max(1))
    }

    pub(super) fn one_in(&mut self, options: usize) -> bool {
        self.below(options) == options - 1
    }

    pub(super) fn pick<'t, T>(&mut self, from: &'t [T]) -> &'t T {
        &from[self.below(from.len())]
    }
}
