//! Output to the user. `println!` would panic when a pipe is closed or a disk is full.

use std::fmt::Arguments;
use std::io::{self, Write};

/// Writes a line to standard output; returns from the function with the error if that fails.
macro_rules! outln {
    ($($words:tt)*) => {
        $crate::print::write_out(format_args!($($words)*))?
    };
}

/// Writes a line to standard error, if it is open.
macro_rules! errln {
    ($($words:tt)*) => {
        $crate::print::write_err(format_args!($($words)*))
    };
}

pub(crate) use {errln, outln};

/// A closed pipe is not an error: `lawine scenes | head -1`.
pub(crate) fn write_out(words: Arguments<'_>) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let written = writeln!(out, "{words}").and_then(|()| out.flush());
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other.map_err(|e| io::Error::new(e.kind(), format!("cannot write: {e}"))),
    }
}

/// Errors are ignored: there is nowhere left to report them, and they are no reason to end a run.
pub(crate) fn write_err(words: Arguments<'_>) {
    let _ = writeln!(io::stderr().lock(), "{words}");
}
