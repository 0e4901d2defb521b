//! Being told to stop: by a signal, or, for a process that another one started, by the end of its input.

use std::io::{self, Read};
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use tokio::signal::unix::{Signal, SignalKind, signal};

use super::output::Fault;

/// The exit code of a command that was told to stop and has said what there was until then.
pub(super) const INTERRUPTED: u8 = 130;

/// How long a process goes on after its input has ended, which is when it is to stop or nobody waits for it any more.
const GRACE: Duration = Duration::from_secs(3);

/// Whether somebody wants the command to stop.
#[derive(Clone, Debug, Default)]
pub(super) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Watches the signals that end a program. The first asks the command to stop; another one ends it.
    pub(super) fn watch(when_it_comes: impl FnOnce() + Send + 'static) -> Result<Interrupt, Fault> {
        let interrupt = Interrupt::default();
        let told = interrupt.clone();
        let (ready, is_ready) = mpsc::channel();
        thread::spawn(move || {
            let watched = async {
                let mut signals = match Signals::new() {
                    Ok(signals) => signals,
                    Err(error) => return drop(ready.send(Err(error))),
                };
                drop(ready.send(Ok(())));
                signals.next().await;
                told.0.store(true, Ordering::SeqCst);
                when_it_comes();
                signals.next().await;
                process::exit(i32::from(INTERRUPTED));
            };
            match tokio::runtime::Builder::new_current_thread().enable_all().build() {
                Ok(runtime) => runtime.block_on(watched),
                Err(error) => drop(ready.send(Err(error))),
            }
        });
        let ended = |_gone| Err(io::Error::other("the thread that watches them has ended"));
        let watched = is_ready.recv().unwrap_or_else(ended);
        watched.map_err(|error| Fault::new(format!("signals cannot be watched: {error}")))?;
        Ok(interrupt)
    }

    /// Takes the end of standard input for a signal: it comes too when whoever held the other end was killed.
    pub(super) fn when_input_ends(&self) {
        let told = self.clone();
        thread::spawn(move || {
            let mut input = io::stdin().lock();
            let mut bytes = [0; 64];
            while input.read(&mut bytes).is_ok_and(|read| read > 0) {}
            told.0.store(true, Ordering::SeqCst);
            thread::sleep(GRACE);
            process::exit(i32::from(INTERRUPTED));
        });
    }

    /// Whether it came.
    pub(super) fn came(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// The signals that end a program.
struct Signals {
    interrupt: Signal,
    terminate: Signal,
    hang_up: Signal,
}

impl Signals {
    fn new() -> io::Result<Signals> {
        Ok(Signals {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
            _ = self.hang_up.recv() => {}
        }
    }
}
