//! Calls that take long: Ctrl-C ends them, and progress is told on the way.
//!
//! The work goes on in a thread of its own. The thread that called from Python waits, runs whatever
//! Python code the work asks for (progress callbacks, policies), and looks after signals ten times a
//! second at least. So Python code only ever runs where the call was made, which is also the only place where
//! Python sees Ctrl-C.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering},
        mpsc::{self, RecvTimeoutError, Sender},
    },
    thread,
    time::Duration,
};

use pyo3::prelude::*;

use crate::errors::{InternalError, internal};

/// How often signals are looked after.
const WATCH: Duration = Duration::from_millis(100);

/// What the work sees of its caller.
pub struct Caller<M> {
    stop: AtomicBool,
    // A lock, so that work on many threads can share the caller.
    sender: Mutex<Sender<Option<M>>>,
}

impl<M> Caller<M> {
    /// Set when the work is to end.
    pub fn stop(&self) -> &AtomicBool {
        &self.stop
    }

    /// Is the work to go on?
    pub fn goes_on(&self) -> bool {
        !self.stop.load(Ordering::Relaxed)
    }

    /// Tells the calling thread something; answers whether to go on.
    pub fn tell(&self, message: M) -> bool {
        self.send(Some(message)) && self.goes_on()
    }

    fn send(&self, message: Option<M>) -> bool {
        let sent = self.sender.lock().map(|sender| sender.send(message));
        matches!(sent, Ok(Ok(())))
    }
}

/// Does `work` in a thread of its own. `listen` gets its messages in the calling thread; when it
/// fails, or on Ctrl-C, the work is told to stop and its result is dropped.
pub fn long_call<M: Send, T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&Caller<M>) -> T + Send,
    mut listen: impl FnMut(Python<'_>, M) -> PyResult<()> + Send,
) -> PyResult<T> {
    let (sender, receiver) = mpsc::channel();
    let caller = Caller {
        stop: AtomicBool::new(false),
        sender: Mutex::new(sender),
    };
    py.detach(move || {
        thread::scope(|scope| {
            let caller = &caller;
            let worker = thread::Builder::new()
                .name("lucena".to_owned())
                .spawn_scoped(scope, move || {
                    let result = catch_unwind(AssertUnwindSafe(|| work(caller)));
                    caller.send(None);
                    result
                })
                .map_err(|error| InternalError::new_err(format!("no thread: {error}")))?;
            let mut failure: Option<PyErr> = None;
            loop {
                let message = match receiver.recv_timeout(WATCH) {
                    Ok(None) | Err(RecvTimeoutError::Disconnected) => break,
                    Ok(message) => message,
                    Err(RecvTimeoutError::Timeout) => None,
                };
                if failure.is_some() {
                    continue;
                }
                let heard = Python::attach(|py| {
                    py.check_signals()?;
                    message.map_or(Ok(()), |message| listen(py, message))
                });
                if let Err(error) = heard {
                    caller.stop.store(true, Ordering::Relaxed);
                    failure = Some(error);
                }
            }
            let result = worker.join().unwrap_or_else(Err);
            match (failure, result) {
                (Some(error), _) => Err(error),
                (None, Ok(value)) => Ok(value),
                (None, Err(panic)) => Err(internal(&*panic)),
            }
        })
    })
}
