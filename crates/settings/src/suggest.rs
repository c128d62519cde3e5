//! The closest word, for a word that does not exist.

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
            (distance(&lower, &other), prefix, candidate)
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

/// Edits between two words: insertions, deletions, replacements, swaps of neighbours.
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
    // Three rows of the table of distances between prefixes: i - 2, i - 1 and i.
    let mut before = vec![0; b.len() + 1];
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let replace = above[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replace.min(above[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut above, row);
    }
    above[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_edits_and_swaps() {
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("time_stpe", "time_step"), 1);
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("grid", "grid"), 0);
    }

    #[test]
    fn suggests_only_what_is_close() {
        let words = ["grid", "hash", "brute-force"];
        assert_eq!(closest("gird", words), Some("grid"));
        assert_eq!(closest("brute_force", words), Some("brute-force"));
        assert_eq!(closest("brute", words), Some("brute-force"));
        assert_eq!(closest("octree", words), None);
        assert_eq!(closest("", words), None);
    }
}
