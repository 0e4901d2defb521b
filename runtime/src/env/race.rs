//! Waiting for the first of two futures, with the order of polling as a recorded choice.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use super::{Env, Order, Raced};

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
        let order = if self.0.announces { self.0.driver.order(label) } else { Order::default() };
        poll_fn(move |cx| {
            let won = ready!(first(order.right_first, left, right, cx));
            if self.0.announces {
                // The other one may have been ready too only if the winner was looked at before it.
                let unseen = matches!(won, Either::Right(_)) == order.right_first;
                self.0.driver.raced(Raced { choice: order.choice, unseen });
            }
            Poll::Ready(won)
        })
    }
}

impl Env {
    /// What work comes to that waits for nothing, as most does: then nobody need listen for what would stop it. Nothing
    /// where it waits, and in a simulation, which looks at both from the beginning.
    pub(crate) fn at_once<F: Future>(
        &self,
        mut work: Pin<&mut F>,
    ) -> impl Future<Output = Option<F::Output>> {
        let announces = self.0.announces;
        poll_fn(move |cx| {
            let polled = if announces { Poll::Pending } else { work.as_mut().poll(cx) };
            Poll::Ready(match polled {
                Poll::Ready(value) => Some(value),
                Poll::Pending => None,
            })
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
