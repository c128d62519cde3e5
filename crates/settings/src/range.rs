//! Bounds of numbers.

use std::fmt::Write as _;

/// What a number, or each number of a list, may be; and whether texts and lists may be empty.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// The smallest.
    pub low: Option<Bound>,
    /// The largest.
    pub high: Option<Bound>,
    /// Whether a text or a list must not be empty.
    pub filled: bool,
}

/// An end of a range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    /// Where it is.
    pub value: f64,
    /// Whether the end itself is allowed.
    pub inclusive: bool,
}

impl Range {
    /// Everything is allowed.
    pub const ANY: Self = Self { low: None, high: None, filled: false };

    /// Whether a number is allowed.
    pub fn contains(&self, x: f64) -> bool {
        let above = |b: Bound| if b.inclusive { x >= b.value } else { x > b.value };
        let below = |b: Bound| if b.inclusive { x <= b.value } else { x < b.value };
        self.low.is_none_or(above) && self.high.is_none_or(below)
    }

    /// The bounds in words, such as `above 0 m and at most 1 m`; none if there are none.
    pub fn words(&self, unit: &str, whole: bool) -> Option<String> {
        let unit = match unit {
            "" => String::new(),
            "°" => " degrees".to_owned(),
            unit => format!(" {unit}"),
        };
        let mut text = String::new();
        match (self.low, self.high) {
            (None, None) => return None,
            (Some(low), None) if low.inclusive => {
                let _ = write!(text, "{}{unit} or more", low.value);
            }
            (Some(low), None) => {
                let _ = write!(text, "above {}{unit}", low.value);
            }
            (None, Some(high)) => {
                let than = if high.inclusive { "at most" } else { "below" };
                let _ = write!(text, "{than} {}{unit}", high.value);
            }
            (Some(low), Some(high)) => {
                let joint = match (low.inclusive, high.inclusive) {
                    (true, true) if whole && high.value - low.value <= 1.0 => "or",
                    (true, true) => "to",
                    (true, false) => "to below",
                    (false, true) => "and at most",
                    (false, false) => "and below",
                };
                let above = if low.inclusive { "" } else { "above " };
                let _ = write!(text, "{above}{} {joint} {}{unit}", low.value, high.value);
            }
        }
        Some(text)
    }
}

/// How small and how large the numbers of a unit may be. Zero is no magnitude: whether it is allowed, and
/// which sign, is up to the setting.
#[derive(Clone, Copy, Debug)]
pub struct Magnitudes {
    /// The unit.
    pub unit: &'static str,
    /// The smallest magnitude of a single number; those of lists may be smaller.
    pub least: f64,
    /// The largest magnitude.
    pub most: f64,
}

impl Magnitudes {
    /// What is allowed, in words, if a number is not; `single` is one that is no part of a list.
    pub(crate) fn refusal(&self, x: f64, single: bool) -> Option<String> {
        let Self { unit, least, most } = *self;
        let size = x.abs();
        let allowed = if size > most || single && size > 0.0 && size < least {
            if single {
                format!("zero, or {least:e} to {most:e} {unit} with either sign")
            } else {
                format!("at most {most:e} {unit} with either sign")
            }
        } else {
            return None;
        };
        Some(allowed.replace("  ", " "))
    }
}
