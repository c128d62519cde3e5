//! Runs the engine: on a separate thread, or between frames in a browser.

use crate::engine::Engine;
use crate::messages::{Command, Notice};
use crate::snapshot::Snapshot;

#[cfg(not(target_arch = "wasm32"))]
pub use threaded::Worker;

#[cfg(target_arch = "wasm32")]
pub use sliced::Worker;

#[cfg(not(target_arch = "wasm32"))]
mod threaded {
    use super::{Command, Engine, Notice, Snapshot};
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
    use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
    use std::sync::{Arc, Mutex, PoisonError};
    use std::thread::JoinHandle;
    use std::time::Duration;

    /// Longest turn [s]: commands are answered at least this often.
    const TURN: f64 = 0.008;

    /// What both sides see.
    #[derive(Default)]
    struct Shared {
        latest: Mutex<(Option<Snapshot>, Vec<Notice>)>,
        /// Set by the window when it can show another moment.
        wanted: AtomicBool,
    }

    /// The engine on a thread of its own.
    pub struct Worker {
        commands: Option<Sender<Command>>,
        shared: Arc<Shared>,
        thread: Option<JoinHandle<()>>,
    }

    impl Worker {
        /// Starts the thread; `wake` is called when there is something new to see.
        pub fn new(wake: impl Fn() + Send + 'static) -> Self {
            let (commands, inbox) = channel();
            let shared = Arc::new(Shared::default());
            let theirs = Arc::clone(&shared);
            let thread = std::thread::spawn(move || work(&inbox, &theirs, &wake));
            Self { commands: Some(commands), shared, thread: Some(thread) }
        }

        /// Asks for something; it happens soon, in the order of asking.
        pub fn send(&mut self, command: Command) {
            if let Some(commands) = &self.commands {
                // Fails only when the thread has ended, and `poll` reports it.
                let _ = commands.send(command);
            }
        }

        /// The latest moment that was not seen yet, and the notices.
        pub fn poll(&mut self) -> (Option<Snapshot>, Vec<Notice>) {
            self.shared.wanted.store(true, Relaxed);
            let mut latest = self.shared.latest.lock().unwrap_or_else(PoisonError::into_inner);
            let (snapshot, mut notices) = std::mem::take(&mut *latest);
            if self.thread.as_ref().is_some_and(JoinHandle::is_finished) {
                self.thread = None;
                notices.push(Notice::Problem("the simulation has ended unexpectedly".to_owned()));
            }
            (snapshot, notices)
        }
    }

    impl Drop for Worker {
        fn drop(&mut self) {
            self.commands = None;
            if let Some(thread) = self.thread.take() {
                let _ = thread.join();
            }
        }
    }

    fn work(inbox: &Receiver<Command>, shared: &Shared, wake: &dyn Fn()) {
        let mut engine = Engine::new();
        loop {
            let wait = if engine.is_busy() { 0.0 } else { 0.02 };
            match inbox.recv_timeout(Duration::from_secs_f64(wait)) {
                Ok(command) => {
                    engine.execute(command);
                    inbox.try_iter().for_each(|command| engine.execute(command));
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            let worked = engine.turn(TURN);
            let notices = engine.take_news();
            let snapshot =
                if shared.wanted.swap(false, Relaxed) { engine.snapshot() } else { None };
            if snapshot.is_some() || !notices.is_empty() {
                let mut latest = shared.latest.lock().unwrap_or_else(PoisonError::into_inner);
                latest.1.extend(notices);
                if let Some(mut new) = snapshot {
                    // Rows that have not been taken yet are kept, but not those from before a restart.
                    if let Some(old) = latest.0.take().filter(|o| o.generation == new.generation) {
                        new.rows.splice(0..0, old.rows);
                    }
                    latest.0 = Some(new);
                }
                drop(latest);
                wake();
            } else if !worked {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
    }
}

#[cfg(target_arch = "wasm32")]
mod sliced {
    use super::{Command, Engine, Notice, Snapshot};
    use web_time::Instant;

    /// Least and most time of a frame that the simulation may take [s].
    const LEAST: f64 = 0.012;
    const MOST: f64 = 0.04;

    /// The engine between frames.
    pub struct Worker {
        engine: Engine,
        last: Instant,
    }

    impl Worker {
        /// An engine; the page draws continuously, so no wake-up is needed.
        pub fn new(_wake: impl Fn() + Send + 'static) -> Self {
            Self { engine: Engine::new(), last: Instant::now() }
        }

        /// Asks for something; it happens at once.
        pub fn send(&mut self, command: Command) {
            self.engine.execute(command);
        }

        /// Advances for as long as drawing takes, within bounds, and returns the moment and the notices.
        pub fn poll(&mut self) -> (Option<Snapshot>, Vec<Notice>) {
            let now = Instant::now();
            let frame = (now - std::mem::replace(&mut self.last, now)).as_secs_f64();
            self.engine.turn((0.5 * frame).clamp(LEAST, MOST));
            (self.engine.snapshot(), self.engine.take_news())
        }
    }
}
