//! Runs the engine: on a thread of its own, or in the time that drawing leaves in a browser.

use crate::engine::Engine;
use crate::orders::{News, Order};
use crate::snapshot::Snapshot;

#[cfg(not(target_arch = "wasm32"))]
pub use threaded::Worker;

#[cfg(target_arch = "wasm32")]
pub use sliced::Worker;

#[cfg(not(target_arch = "wasm32"))]
mod threaded {
    use super::{Engine, News, Order, Snapshot};
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
    use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
    use std::sync::{Arc, Mutex, PoisonError};
    use std::thread::JoinHandle;
    use std::time::Duration;

    /// Longest turn [s]: orders are answered at least this often.
    const TURN: f64 = 0.008;

    /// What both sides see.
    #[derive(Default)]
    struct Shared {
        latest: Mutex<(Option<Snapshot>, Vec<News>)>,
        /// Set by the window when it can show another moment.
        wanted: AtomicBool,
    }

    /// The engine on a thread of its own.
    pub struct Worker {
        orders: Option<Sender<Order>>,
        shared: Arc<Shared>,
        thread: Option<JoinHandle<()>>,
    }

    impl Worker {
        /// Starts the thread; `wake` is called when there is something new to see.
        pub fn new(wake: impl Fn() + Send + 'static) -> Self {
            let (orders, inbox) = channel();
            let shared = Arc::new(Shared::default());
            let theirs = Arc::clone(&shared);
            let thread = std::thread::spawn(move || work(&inbox, &theirs, &wake));
            Self { orders: Some(orders), shared, thread: Some(thread) }
        }

        /// Asks for something; it happens soon, in the order of asking.
        pub fn send(&mut self, order: Order) {
            if let Some(orders) = &self.orders {
                // Fails only when the thread has ended, and `poll` tells.
                let _ = orders.send(order);
            }
        }

        /// The latest moment that was not seen yet, and the news.
        pub fn poll(&mut self) -> (Option<Snapshot>, Vec<News>) {
            self.shared.wanted.store(true, Relaxed);
            let mut latest = self.shared.latest.lock().unwrap_or_else(PoisonError::into_inner);
            let (snapshot, mut news) = std::mem::take(&mut *latest);
            if self.thread.as_ref().is_some_and(JoinHandle::is_finished) {
                self.thread = None;
                news.push(News::Problem("the simulation has ended unexpectedly".to_owned()));
            }
            (snapshot, news)
        }
    }

    impl Drop for Worker {
        fn drop(&mut self) {
            self.orders = None;
            if let Some(thread) = self.thread.take() {
                let _ = thread.join();
            }
        }
    }

    fn work(inbox: &Receiver<Order>, shared: &Shared, wake: &dyn Fn()) {
        let mut engine = Engine::new();
        loop {
            let wait = if engine.is_busy() { 0.0 } else { 0.02 };
            match inbox.recv_timeout(Duration::from_secs_f64(wait)) {
                Ok(order) => {
                    engine.obey(order);
                    inbox.try_iter().for_each(|order| engine.obey(order));
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            let worked = engine.turn(TURN);
            let news = engine.take_news();
            let snapshot =
                if shared.wanted.swap(false, Relaxed) { engine.snapshot() } else { None };
            if snapshot.is_some() || !news.is_empty() {
                let mut latest = shared.latest.lock().unwrap_or_else(PoisonError::into_inner);
                latest.1.extend(news);
                if let Some(mut new) = snapshot {
                    // Rows that nobody has seen yet come along, but not those of another start.
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
    use super::{Engine, News, Order, Snapshot};
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
        /// An engine; the page draws all the time, so nobody needs to be woken.
        pub fn new(_wake: impl Fn() + Send + 'static) -> Self {
            Self { engine: Engine::new(), last: Instant::now() }
        }

        /// Asks for something; it happens at once.
        pub fn send(&mut self, order: Order) {
            self.engine.obey(order);
        }

        /// Advances for as long as drawing takes, within bounds, and gives the moment and the news.
        pub fn poll(&mut self) -> (Option<Snapshot>, Vec<News>) {
            let now = Instant::now();
            let frame = (now - std::mem::replace(&mut self.last, now)).as_secs_f64();
            self.engine.turn((0.5 * frame).clamp(LEAST, MOST));
            (self.engine.snapshot(), self.engine.take_news())
        }
    }
}
