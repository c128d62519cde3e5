//! The closest word, for a word that does not exist.

use strsim::osa_distance;

/// The candidate closest to `word`, if it is close enough to be a misspelling.
///
/// Close means: at most a third of the letters (and at least one) differ, swapped neighbours
/// counting once. A candidate that begins with the word, or the other way round, also counts.
pub fn closest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = word.chars().count();
    // A word far longer than any of ours is no misspelling, and would be slow to compare.
    if length == 0 || length > 100 {
        return None;
    }
    let allowed = (length / 3).max(1);
    let lower = word.to_lowercase().replace('_', "-");
    candidates
        .into_iter()
        .map(|candidate| {
            let other = candidate.to_lowercase().replace('_', "-");
            let prefix = length >= 3 && (other.starts_with(&lower) || lower.starts_with(&other));
            (osa_distance(&lower, &other), prefix, candidate)
        })
        .filter(|&(distance, prefix, _)| distance <= allowed || prefix)
        .min_by_key(|&(distance, prefix, _)| {
            (distance.min(if prefix { 1 } else { usize::MAX }), distance)
        })
        .map(|(.., candidate)| candidate)
}

/// ` (did you mean …?)`, or nothing.
pub fn did_you_mean(suggestion: Option<&str>) -> String {
    suggestion.map(|word| format!(" (did you mean {word}?)")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggests_only_what_is_close() {
        let words = ["grid", "hash", "brute-force"];
        assert_eq!(closest("gird", words), Some("grid"));
        assert_eq!(closest("time_stpe", ["time-step", "time-stop"]), Some("time-step"));
        assert_eq!(closest("brute_force", words), Some("brute-force"));
        assert_eq!(closest("brute", words), Some("brute-force"));
        assert_eq!(closest("octree", words), None);
        assert_eq!(closest("", words), None);
    }
}
