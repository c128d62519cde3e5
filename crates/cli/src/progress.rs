//! Progress of a run: a bar on a terminal, plain lines elsewhere.

use crate::print::errln;
use indicatif::{ProgressBar, ProgressStyle};
use lawine_record::run::{Progress, ProgressReport};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Chooses how progress is shown.
pub(crate) fn progress(quiet: bool) -> Box<dyn Progress> {
    if quiet {
        Box::new(Silent)
    } else if std::io::stderr().is_terminal() {
        Box::new(Bar::new())
    } else {
        Box::new(Lines::new())
    }
}

struct Silent;

impl Progress for Silent {
    fn step(&mut self, _: &ProgressReport) {}
    fn stage(&mut self, _: &str) {}
    fn warning(&mut self, what: &str) {
        errln!("warning: {what}");
    }
}

/// Speed of the run and the line that reports it.
struct Rate {
    started: Instant,
    first: Option<(f64, u64)>,
}

impl Rate {
    fn new() -> Self {
        Self { started: Instant::now(), first: None }
    }

    fn describe(&mut self, r: &ProgressReport) -> String {
        let (time, steps) = *self.first.get_or_insert((r.time, r.steps));
        let seconds = self.started.elapsed().as_secs_f64().max(1e-9);
        let rate = (r.steps - steps) as f64 / seconds;
        let advanced = r.time - time;
        let left = if advanced > 0.0 { seconds * (r.end - r.time) / advanced } else { f64::NAN };
        let error = |error| format!(", density error {:.3} %", 100.0 * error);
        let density = r.density_error.map_or(String::new(), error);
        format!(
            "t = {:.3} of {} s, {} left, {:.0} steps/s, {} particles, dt {:.2e} s ({}){density}",
            r.time,
            r.end,
            clock(left),
            rate,
            r.particles,
            r.dt,
            r.limit
        )
    }
}

fn clock(seconds: f64) -> String {
    if !seconds.is_finite() {
        return "?".to_owned();
    }
    let s = seconds.round() as u64;
    match s {
        0..=59 => format!("{s} s"),
        60..=3599 => format!("{} min {:02} s", s / 60, s % 60),
        _ => format!("{} h {:02} min", s / 3600, s / 60 % 60),
    }
}

struct Bar {
    bar: ProgressBar,
    rate: Rate,
    shown: Option<Instant>,
}

impl Bar {
    const LENGTH: u64 = 1000;

    fn new() -> Self {
        let bar = ProgressBar::new(Self::LENGTH);
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {percent:>3} %  {wide_msg}") {
            bar.set_style(style.progress_chars("█▉▊▋▌▍▎▏ "));
        }
        Self { bar, rate: Rate::new(), shown: None }
    }
}

impl Progress for Bar {
    fn step(&mut self, report: &ProgressReport) {
        let finished = report.time >= report.end;
        if !finished && self.shown.is_some_and(|t| t.elapsed() < Duration::from_millis(100)) {
            return;
        }
        self.shown = Some(Instant::now());
        let fraction = (report.time / report.end).clamp(0.0, 1.0);
        self.bar.set_position((fraction * Self::LENGTH as f64) as u64);
        self.bar.set_message(self.rate.describe(report));
    }

    fn stage(&mut self, what: &str) {
        self.bar.set_message(what.to_owned());
    }

    fn warning(&mut self, what: &str) {
        self.bar.suspend(|| errln!("warning: {what}"));
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

struct Lines {
    rate: Rate,
    shown: Option<Instant>,
    fraction: f64,
}

impl Lines {
    fn new() -> Self {
        Self { rate: Rate::new(), shown: None, fraction: 0.0 }
    }
}

impl Progress for Lines {
    /// A line at the start, then every ten percent or every ten seconds.
    fn step(&mut self, report: &ProgressReport) {
        let fraction = report.time / report.end;
        let due = self.shown.is_none_or(|t| t.elapsed() >= Duration::from_secs(10))
            || fraction >= self.fraction + 0.1
            || (fraction >= 1.0 && self.fraction < 1.0);
        let line = if due { Some(self.rate.describe(report)) } else { None };
        if let Some(line) = line {
            errln!("{line}");
            self.shown = Some(Instant::now());
            self.fraction = fraction;
        }
    }

    fn stage(&mut self, what: &str) {
        // One line for a stage, not one for each frame of it.
        if !what.contains(" of ") {
            errln!("{what}");
        }
    }

    fn warning(&mut self, what: &str) {
        errln!("warning: {what}");
    }
}
