//! The reference of scene files as a Markdown page, and the explanation of a single key.

use std::fmt::Write as _;

use super::check::MAX_PARTICLES;
use super::reference::{MAGNITUDES, scene_table};
use super::toml::inline;
use crate::input::{LARGEST_MESH, LARGEST_TEXT};
use crate::matter::kinds_of;
use lawine_settings::{
    Default, Kind, Magnitudes, Setting, Table, Value, closest, did_you_mean, join,
};

const HEAD: &str = "# Scene files: every key

This page is made by `lawine scene --reference` from the description that the program reads and checks
scene files with. Numbers are in SI units; in a plane (dimension 2) everything counts per metre of depth.
Any key can be changed for one run with `--set KEY=VALUE`, entries of lists going by their number from 0:
`--set fill.0.velocity=[1,0]`. `lawine scene --explain KEY` tells about a single key, and `lawine schema`
prints a JSON schema with which editors check and complete scene files.

";

const RANGES: &str = "## Ranges

Besides what its key allows, every number must have a magnitude that its unit allows. Single numbers may
also be zero, and numbers of vectors as small as they like. Lengths are at most fifty million times the
distance of particles.

| unit | smallest | largest |
| --- | --- | --- |
";

/// The page: a section for each table with its keys, their kinds, units and defaults.
pub fn reference_page() -> String {
    let mut page = Page { text: HEAD.to_owned(), told: Vec::new() };
    page.table("", scene_table());
    page.ranges();
    page.text.truncate(page.text.trim_end().len());
    page.text.push('\n');
    page.text
}

struct Page {
    text: String,
    /// Tables that have been described, by their names, and where.
    told: Vec<(&'static str, String)>,
}

impl Page {
    /// A section on a table, then those of the tables inside. `path` is how a file spells it.
    fn table(&mut self, path: &str, table: &'static Table) {
        let title = if path.is_empty() { "The file" } else { path };
        let code = if path.is_empty() { "" } else { "`" };
        let _ = writeln!(self.text, "## {code}{title}{code}\n");
        if let Some((_, told)) = self.told.iter().find(|(known, _)| *known == table.name) {
            let _ = writeln!(self.text, "The same keys as in `{told}`.\n");
            return;
        }
        self.told.push((table.name, path.to_owned()));
        if !table.one_of.is_empty() {
            let also = if table.settings.is_empty() { "" } else { " of those marked with a dot" };
            let _ = writeln!(self.text, "Exactly one{also}:\n");
        }
        self.text += "| key | value | default | what it is |\n| --- | --- | --- | --- |\n";
        for setting in table.side_by_side() {
            self.row(setting, "", &default(setting));
        }
        for setting in table.one_of {
            let dot = if table.settings.is_empty() { "" } else { "· " };
            self.row(setting, dot, "–");
        }
        self.text.push('\n');
        for setting in table.iter() {
            if let Some(inner) = setting.kind.table() {
                self.table(&join(path, setting.name), inner);
            }
        }
    }

    /// The section on the magnitudes of units.
    fn ranges(&mut self) {
        self.text += RANGES;
        for Magnitudes { unit, least, most } in MAGNITUDES {
            let unit = if unit.is_empty() { "none" } else { unit };
            let _ = writeln!(self.text, "| {unit} | {least:e} | {most:e} |");
        }
        let (particles, text, mesh) = (MAX_PARTICLES / 1e6, LARGEST_TEXT >> 20, LARGEST_MESH >> 20);
        let _ = write!(
            self.text,
            "\nA scene starts with at most {particles} million particles or grains in all, and with as many \
             boundary\nparticles; emitters and pours end there, too, where the scene sets no limit. Scene and \
             study files have at\nmost {text} MiB, files of meshes {mesh} MiB, and only regular files are read."
        );
    }

    fn row(&mut self, setting: &Setting, mark: &str, default: &str) {
        let kind = match setting.kind {
            Kind::Table(_) => "table".to_owned(),
            Kind::List(Kind::Table(_), _) => "list of tables".to_owned(),
            _ => setting.allowed().replace('"', "`"),
        };
        let unit =
            if setting.unit.is_empty() { String::new() } else { format!(" [{}]", setting.unit) };
        let of = of(setting).map_or_else(String::new, |of| format!("; for {of}"));
        // A bar would end the cell.
        let (name, help) = (setting.name, setting.help.replace('|', "\\|"));
        let _ = writeln!(self.text, "| {mark}`{name}` | {kind}{unit} | {default} | {help}{of} |");
    }
}

/// What holds when a key is not given, in Markdown.
fn default(setting: &Setting) -> String {
    match setting.default {
        Default::Needed => "needed".to_owned(),
        Default::Open(words) => words.to_owned(),
        Default::Is(value) => match (setting.kind, value()) {
            (Kind::Vector, Value::List(list)) if list.is_empty() => "zero".to_owned(),
            (Kind::List(..), Value::List(list)) if list.is_empty() => "none".to_owned(),
            (Kind::Table(_), _) => "its defaults".to_owned(),
            (_, value) => format!("`{}`", inline(&value)),
        },
    }
}

/// The matter that a setting belongs to, in words; none if it belongs to all.
fn of(setting: &Setting) -> Option<String> {
    let keys: Vec<&str> = kinds_of(setting).iter().map(|kind| kind.key()).collect();
    (!setting.of.is_empty()).then(|| keys.join(" and "))
}

/// What there is to say about a key: its help, unit, default, range and words. A key may stand without the
/// tables around it where that is enough, and without the numbers of entries of lists.
///
/// # Errors
/// When there is no such key; the closest ones are named.
pub fn explanation(key: &str) -> Result<String, String> {
    let all = scene_table().all();
    let parts = || key.split('.').filter(|part| part.parse::<usize>().is_err());
    let asked = parts().collect::<Vec<_>>().join(".");
    let exact: Vec<_> = all.iter().filter(|(path, _)| *path == asked).collect();
    let inner = format!(".{asked}");
    let found = if exact.is_empty() {
        all.iter().filter(|(path, _)| path.ends_with(&inner)).collect()
    } else {
        exact
    };
    if found.is_empty() {
        let last = parts().next_back().unwrap_or_default();
        let paths = || all.iter().map(|(path, _)| path.as_str());
        let by_name = || closest(last, all.iter().map(|(_, setting)| setting.name));
        let near = if asked == last { by_name() } else { closest(&asked, paths()) };
        let hint = did_you_mean(near.or_else(by_name));
        return Err(format!(
            "there is no key {key:?}{hint}; lawine scene --reference lists them all"
        ));
    }
    let texts: Vec<String> = found.iter().map(|(path, setting)| explain(path, setting)).collect();
    Ok(texts.join("\n"))
}

fn explain(path: &str, setting: &Setting) -> String {
    let mut text = format!("{path}\n  {}\n", setting.help_with_unit());
    let mut line = |name: &str, value: &str| {
        let _ = writeln!(text, "  {name:9}{value}");
    };
    match setting.kind {
        Kind::Table(_) => line("value", "table"),
        Kind::List(Kind::Table(_), _) => line("value", "list of tables"),
        _ => line("allowed", &setting.allowed()),
    }
    line("default", &default(setting).replace('`', ""));
    if let Some(of) = of(setting) {
        line("for", &of);
    }
    if setting.fixed {
        line("fixed", "cannot change when a run is resumed");
    }
    for word in setting.kind.words().unwrap_or_default() {
        let _ = writeln!(text, "    {:14} {}", word.word, word.help);
    }
    for inner in setting.kind.table().iter().flat_map(|table| table.iter()) {
        let _ = writeln!(text, "    {:22} {}", inner.name, inner.help_with_unit());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_in_the_book_is_up_to_date() {
        let page = include_str!("../../../../book/src/scene-reference.md");
        assert!(
            reference_page() == page,
            "make it again: lawine scene --reference > book/src/scene-reference.md"
        );
    }

    #[test]
    fn keys_are_explained() {
        let text = explanation("liquid.neighbors").unwrap();
        assert!(text.contains("default  \"grid\""), "{text}");
        assert!(text.contains("brute-force    Every point against"), "{text}");
        let text = explanation("body.0.shape.container.open").unwrap();
        assert!(text.starts_with("body.shape.container.open\n"), "{text}");
        assert!(explanation("spacing").unwrap().contains("block.spacing"));
        let error = explanation("liquid.spacng").unwrap_err();
        assert!(error.contains("did you mean liquid.spacing?"), "{error}");
        let error = explanation("spacng").unwrap_err();
        assert!(error.contains("did you mean spacing?"), "{error}");
    }
}
