//! Where each key of a scene comes from: a line of the file, or an override.

use std::collections::BTreeMap;
use std::ops::Range;

use toml_edit::{Document, Item};

use super::error::{Place, Problem};
use super::overrides::Override;
use super::reference::join;

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
        let lines = spans(document.as_item())
            .into_iter()
            .map(|(path, spans)| (path, index.line(spans.key.start)))
            .collect();
        let overrides = overrides.iter().map(|set| (set.key(), set.given().to_string())).collect();
        Self { source: source.into(), lines, overrides }
    }

    /// The name of the file or scene.
    pub fn source(&self) -> &str {
        &self.source
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
}

/// The key path whose value is the smallest around a byte of the text; the top has none.
pub(super) fn path_at(document: &Document<&str>, byte: usize) -> Option<String> {
    spans(document.as_item())
        .into_iter()
        .filter(|(_, spans)| spans.value.contains(&byte) || spans.key.contains(&byte))
        .min_by_key(|(path, spans)| (spans.value.len(), usize::MAX - path.len()))
        .map(|(path, _)| path)
}

/// Byte ranges of a key and of its value.
struct Spans {
    key: Range<usize>,
    value: Range<usize>,
}

/// The spans of every key path of a document.
fn spans(root: &Item) -> Vec<(String, Spans)> {
    let mut found = Vec::new();
    // The parser limits the depth, so that recursion is not a worry; a stack is as short to write.
    let mut todo = vec![(String::new(), root)];
    while let Some((path, item)) = todo.pop() {
        let mut visit = |name: &str, key: Option<Range<usize>>, inner| {
            let path = join(&path, name);
            let value = Item::span(inner).or_else(|| key.clone());
            if let Some(value) = value {
                let key = key.unwrap_or_else(|| value.clone());
                found.push((path.clone(), Spans { key, value }));
            }
            todo.push((path, inner));
        };
        if let Some(table) = item.as_table_like() {
            for (name, inner) in table.iter() {
                let key = table.get_key_value(name).and_then(|(key, _)| key.span());
                visit(name, key, inner);
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
