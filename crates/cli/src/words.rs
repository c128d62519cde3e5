//! Words for the user. `println!` would panic where nobody can read them: at the end of a pipe that
//! was closed, or on a full disk.

use std::fmt::Arguments;
use std::io::{self, Write};

/// Writes a line to standard output; returns from the function with the error if that fails.
macro_rules! say {
    ($($words:tt)*) => {
        $crate::words::write_out(format_args!($($words)*))?
    };
}

/// Writes a line to standard error, where it can be read.
macro_rules! tell {
    ($($words:tt)*) => {
        $crate::words::write_err(format_args!($($words)*))
    };
}

pub(crate) use {say, tell};

/// Standard output is gone, but it need not be: `lawine scenes | head -1` is fine.
pub(crate) fn write_out(words: Arguments<'_>) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let written = writeln!(out, "{words}").and_then(|()| out.flush());
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other.map_err(|e| io::Error::new(e.kind(), format!("cannot write: {e}"))),
    }
}

/// There is nobody left to complain to when this fails, and no reason to end a run.
pub(crate) fn write_err(words: Arguments<'_>) {
    let _ = writeln!(io::stderr().lock(), "{words}");
}
