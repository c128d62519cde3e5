//! Where each key of a scene comes from: a line of the file, or an override.

use std::collections::BTreeMap;

use toml_edit::{Document, Item};

use super::error::{Place, Problem, SceneError};
use super::overrides::Override;
use lawine_settings::join;

/// Where each key of a scene comes from.
#[derive(Clone, Debug, Default)]
pub struct Locations {
    source: String,
    lines: BTreeMap<String, usize>,
    /// Key path and argument of each override.
    overrides: Vec<(String, String)>,
}

impl Locations {
    /// For a scene that was not read from text: only the name of its source is known.
    pub fn unknown(source: impl Into<String>) -> Self {
        Self { source: source.into(), ..Self::default() }
    }

    /// The lines of the keys of a document, before overrides.
    pub(super) fn of(source: &str, document: &Document<&str>, overrides: &[Override]) -> Self {
        let index = LineIndex::new(document.raw());
        let starts = starts(document.as_item()).into_iter();
        let lines = starts.map(|(path, start)| (path, index.line(start))).collect();
        let overrides = overrides.iter().map(|set| (set.key(), set.given().to_string())).collect();
        Self { source: source.into(), lines, overrides }
    }

    /// The name of the file or scene.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Whether the file has the key.
    pub(super) fn has_line(&self, key: &str) -> bool {
        self.lines.contains_key(key)
    }

    /// Where a key, for example `fill.0.velocity`, comes from. For a key that is not in the file the
    /// closest table around it is named.
    pub fn place(&self, key: &str) -> Place {
        let under = |inner: &str, outer: &str| {
            inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let set = |(_, text): &(String, String)| Place::Override(text.clone());
        if let Some(found) = self.overrides.iter().rev().find(|(path, _)| under(key, path)) {
            return set(found);
        }
        if !self.lines.contains_key(key)
            && let Some(found) = self.overrides.iter().rev().find(|(path, _)| under(path, key))
            && !key.is_empty()
        {
            return set(found);
        }
        let mut path = key;
        loop {
            if let Some(&line) = self.lines.get(path) {
                return Place::Line(self.source.clone(), Some(line));
            }
            match path.rfind('.') {
                Some(dot) => path = &path[..dot],
                None => return Place::Line(self.source.clone(), None),
            }
        }
    }

    /// A problem with a key.
    pub fn problem(&self, key: &str, message: String) -> Problem {
        Problem { place: self.place(key), key: key.into(), message }
    }

    /// Problems of settings, each with its place.
    pub(super) fn error(&self, problems: Vec<lawine_settings::Problem>) -> SceneError {
        let placed = problems.into_iter().map(|p| self.problem(&p.key, p.message));
        SceneError::Invalid(placed.collect())
    }
}

/// Where every key path of a document begins, in bytes.
fn starts(root: &Item) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    // The parser limits the depth, so that recursion is not a worry; a stack is as short to write.
    let mut todo = vec![(String::new(), root)];
    while let Some((path, item)) = todo.pop() {
        let mut visit = |name: &str, key: Option<usize>, inner| {
            let path = join(&path, name);
            let start = key.or_else(|| Item::span(inner).map(|span| span.start));
            found.extend(start.map(|start| (path.clone(), start)));
            todo.push((path, inner));
        };
        if let Some(table) = item.as_table_like() {
            for (name, inner) in table.iter() {
                let key = table.get_key_value(name).and_then(|(key, _)| key.span());
                visit(name, key.map(|span| span.start), inner);
            }
        } else {
            for (i, inner) in (0..).map_while(|i| item.get(i).map(|inner| (i, inner))) {
                visit(&i.to_string(), None, inner);
            }
        }
    }
    found
}

/// Line numbers of bytes.
pub(super) struct LineIndex(Vec<usize>);

impl LineIndex {
    /// Of a text.
    pub(super) fn new(text: &str) -> Self {
        Self(text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n').map(|(i, _)| i).collect())
    }

    /// The line of a byte; the first is 1.
    pub(super) fn line(&self, byte: usize) -> usize {
        self.0.partition_point(|&newline| newline < byte) + 1
    }
}
