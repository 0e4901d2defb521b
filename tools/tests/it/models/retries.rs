//! Waiting and asking again, in virtual time.

use std::sync::Arc;
use std::time::Duration;

use toolwright::env::Env;
use toolwright::query::ModelErrorKind;
use toolwright_tools::models::{Endpoint, Messages, Retry, Timeouts, TransportError};

use super::fixtures::usual_messages;
use super::server::{Answer, Played, blocks, events, go};

/// How an answer ended: the kind of its error, how many requests it took, and how long.
async fn asked(
    answers: Vec<Answer>,
    retry: Retry,
    timeouts: Timeouts,
) -> (Option<ModelErrorKind>, usize, Duration) {
    let env = Env::tokio().expect("tests run on tokio");
    let played = Played::new(answers);
    let posts = Arc::clone(&played.posts);
    let endpoint = Endpoint::new(env.clone()).transport(played).retry(retry).timeouts(timeouts);
    let model = Messages::new(endpoint, "m-1").expect("the usual address is fine");
    let began = env.now();
    let (events, error) = events(&model, go()).await;
    assert_eq!(error.is_none(), blocks(&events).len() == 3);
    let count = posts.lock().expect("nobody panicked").len();
    (error.map(|error| error.kind), count, env.now().since(began))
}

fn right() -> Answer {
    Answer::stream(&[usual_messages().as_bytes()])
}

fn busy(headers: &[(&str, &str)]) -> Answer {
    Answer::refusal(429, headers, "{}")
}

fn broken() -> Answer {
    Answer { pieces: vec![Err(TransportError("it broke".to_owned()))], ..Answer::stream(&[]) }
}

#[tokio::test(start_paused = true)]
async fn waits_grow_and_end_with_the_attempts() {
    let retry = Retry::default();
    let (kind, count, took) = asked(vec![busy(&[]); 10], retry, Timeouts::default()).await;
    assert_eq!((kind, count), (Some(ModelErrorKind::RateLimited), 6));
    // 0.5 + 1 + 2 + 4 + 8 seconds, of which chance leaves out up to a half.
    assert!(took > Duration::from_millis(7_700) && took < Duration::from_millis(15_600), "{took:?}");
    let (kind, count, took) = asked(vec![busy(&[]); 10], Retry::never(), Timeouts::default()).await;
    assert_eq!((kind, count, took < Duration::from_millis(10)), (Some(ModelErrorKind::RateLimited), 1, true));
}

#[tokio::test(start_paused = true)]
async fn a_provider_says_how_long_to_wait_up_to_a_ceiling() {
    let (kind, count, took) =
        asked(vec![busy(&[("retry-after", "45")]), right()], Retry::default(), Timeouts::default()).await;
    assert_eq!((kind, count, took.as_secs()), (None, 2, 45));
    let (kind, count, took) =
        asked(vec![busy(&[("retry-after", "121")]), right()], Retry::default(), Timeouts::default()).await;
    assert_eq!((kind, count, took.as_secs()), (Some(ModelErrorKind::RateLimited), 1, 0));
    let ms = asked(vec![busy(&[("retry-after-ms", "1500")]), right()], Retry::default(), Timeouts::default())
        .await;
    assert_eq!((ms.0, ms.2.as_millis() / 100), (None, 15));
}

#[tokio::test(start_paused = true)]
async fn only_what_may_pass_is_asked_again() {
    let table = [
        (408, true),
        (409, true),
        (429, true),
        (500, true),
        (502, true),
        (503, true),
        (504, true),
        (529, true),
        (400, false),
        (401, false),
        (403, false),
        (404, false),
        (413, false),
        (422, false),
        (301, false),
        (204, false),
    ];
    for (status, is_asked_again) in table {
        let answers = vec![Answer::refusal(status, &[], "{}"), right()];
        let (kind, count, _took) = asked(answers, Retry::default(), Timeouts::default()).await;
        assert_eq!((kind.is_none(), count), (is_asked_again, if is_asked_again { 2 } else { 1 }), "{status}");
    }
    let (kind, count, _took) =
        asked(vec![broken(), broken(), right()], Retry::default(), Timeouts::default()).await;
    assert_eq!((kind, count), (None, 3));
}

#[tokio::test(start_paused = true)]
async fn what_was_handed_out_is_never_asked_for_again() {
    let text = usual_messages();
    let half = &text[..text.find("Probe").expect("there is a call")];
    let mut cut = Answer::stream(&[half.as_bytes()]);
    cut.pieces.push(Err(TransportError("it broke".to_owned())));
    let (kind, count, _took) = asked(vec![cut, right()], Retry::default(), Timeouts::default()).await;
    assert_eq!((kind, count), (Some(ModelErrorKind::Connection), 1));
}

#[tokio::test(start_paused = true)]
async fn all_attempts_together_have_a_limit() {
    let timeouts = Timeouts { total: Duration::from_secs(100), ..Timeouts::default() };
    let answers = vec![busy(&[("retry-after", "40")]); 10];
    let (kind, count, took) = asked(answers, Retry::default(), timeouts).await;
    assert_eq!((kind, count, took.as_secs()), (Some(ModelErrorKind::RateLimited), 3, 80));
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_larger_than_the_limit_ends() {
    let line = [b"data: {\"type\":\"ping\",\"x\":\"".as_slice(), &vec![b'x'; 8 << 20], b"\"}\n\n"].concat();
    let answer = Answer { pieces: std::iter::repeat_n(Ok(line), 9).collect(), ..Answer::stream(&[]) };
    let (kind, count, _took) = asked(vec![answer], Retry::default(), Timeouts::default()).await;
    assert_eq!((kind, count), (Some(ModelErrorKind::TooLarge), 1));
}
