//! The shapes that messages have in what model providers take and give: the Messages API, chat completions, and the
//! items of the Responses API. One reader takes all three, since each message shows of which shape it is.

mod block;
mod item;
mod message;
mod stream;

pub(super) use item::item;
pub(super) use message::message;
pub(super) use stream::Stream;
