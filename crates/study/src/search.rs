//! Bisection for the largest value of a key for which a run stays within its limits.

use crate::StudyError;
use crate::execution::{Shared, once};
use crate::file::Search;
use crate::matrix::{Run, short};
use crate::outcome::{Outcome, Status};
use std::path::Path;

/// Looks for the largest good value, the geometric mean of a good and a bad one at a time. The
/// outcome is that of the run with the value found; every try has a folder of its own.
pub(crate) fn search(
    shared: Shared<'_>,
    run: &Run,
    spec: &Search,
    folder: &Path,
) -> Result<Outcome, StudyError> {
    let mut tries = 0;
    let mut attempt = |value: f64| -> Result<(bool, Outcome), StudyError> {
        let mut set = run.overrides();
        set.push(format!("{}={value:?}", spec.key));
        let name = format!("try-{tries:02}");
        tries += 1;
        let mut outcome = once(shared, run, &set, &folder.join(&name))?;
        outcome.data = name;
        outcome.found = Some((spec.name().to_owned(), value));
        Ok((is_good(&outcome, spec), outcome))
    };
    let (good, mut best) = attempt(spec.from)?;
    if !good {
        let reason = best.reason.map_or_else(String::new, |reason| format!(": {reason}"));
        let message = format!("{} = {} is not good already{reason}", spec.key, spec.from);
        return Ok(Outcome::failed(message));
    }
    let (mut low, mut high) = (spec.from, spec.to);
    let (good, outcome) = attempt(high)?;
    if good {
        let reason = Some(format!("{} = {high} also passes: this is a lower bound", spec.key));
        return Ok(Outcome { reason, ..outcome });
    }
    while high / low > 1.0 + spec.tolerance {
        let middle = short((low * high).sqrt());
        let (good, outcome) = attempt(middle)?;
        if good {
            (low, best) = (middle, outcome);
        } else {
            high = middle;
        }
    }
    Ok(best)
}

/// Whether a run came to its end with every measure below its limit.
fn is_good(outcome: &Outcome, spec: &Search) -> bool {
    outcome.status == Status::Finished
        && spec.below.iter().all(|limit| outcome.measure(&limit.measure) <= limit.limit)
}
