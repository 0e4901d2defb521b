//! Waiting for the first of two futures, with the order of polling as a recorded choice.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use super::{Env, Raced};

/// The value of the first of two futures to be ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Either<A, B> {
    /// The left one was first.
    Left(A),
    /// The right one was first.
    Right(B),
}

impl Env {
    /// Waits for the first of two futures. When both are ready at once, production takes the left one, and a
    /// simulation chooses, when this is called. The futures are borrowed: the loser survives and loses no value.
    pub fn race<A, B>(
        &self,
        label: &'static str,
        left: &mut A,
        right: &mut B,
    ) -> impl Future<Output = Either<A::Output, B::Output>>
    where
        A: Future + Unpin,
        B: Future + Unpin,
    {
        let order = self.driver.order(label);
        poll_fn(move |cx| {
            let won = ready!(first(order.right_first, left, right, cx));
            if self.announces {
                // The other one may have been ready too only if the winner was looked at before it.
                let unseen = matches!(won, Either::Right(_)) == order.right_first;
                self.driver.raced(Raced { choice: order.choice, unseen });
            }
            Poll::Ready(won)
        })
    }
}

/// Looks at two futures in this order, and no further than the first that is ready.
fn first<A, B>(
    right_first: bool,
    left: &mut A,
    right: &mut B,
    cx: &mut Context<'_>,
) -> Poll<Either<A::Output, B::Output>>
where
    A: Future + Unpin,
    B: Future + Unpin,
{
    if right_first && let Poll::Ready(value) = Pin::new(&mut *right).poll(cx) {
        return Poll::Ready(Either::Right(value));
    }
    if let Poll::Ready(value) = Pin::new(left).poll(cx) {
        return Poll::Ready(Either::Left(value));
    }
    if right_first { Poll::Pending } else { Pin::new(right).poll(cx).map(Either::Right) }
}
