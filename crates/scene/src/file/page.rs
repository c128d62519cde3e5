//! The reference of scene files as a Markdown page, made from the tables of keys.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::check::MAX_PARTICLES;
use super::error::SceneError;
use super::load::parse_scene_text;
use super::reference::{
    Entry, Fields, Kind, MAGNITUDES, Magnitudes, join, parameters, scene_fields,
};
use crate::input::{LARGEST_MESH, LARGEST_TEXT};

/// The shortest scene: what it does not say are the defaults.
const SHORTEST: &str = "title = \"-\"\nend = 1.0\n[space]\ndimension = 2\ngravity = [0.0, -9.81]\n\
    [liquid]\nspacing = 0.1\n[[fill]]\nshape.box = { min = [0.0, 0.0], max = [1.0, 1.0] }\n";

const HEAD: &str = "# Scene files: every key

This page is made by `lawine scene --reference` from the tables that the program checks scene files
with. Numbers are in SI units; in a plane (dimension 2) everything counts per metre of depth. Any key can
be changed for one run with `--set KEY=VALUE`, entries of lists going by their number from 0:
`--set fill.0.velocity=[1,0]`.

";

const RANGES: &str = "## Ranges

Besides what its key allows, every number must have a magnitude that its unit allows. Single numbers may
also be zero, and numbers of vectors as small as they like. Lengths are at most fifty million times the
distance of particles.

| unit | smallest | largest |
| --- | --- | --- |
";

/// The page: a section for each table with its keys, their kinds, units and defaults.
///
/// # Errors
/// None that is known: the scene that the defaults come from is a fine one.
pub fn reference_page() -> Result<String, SceneError> {
    let scene = parse_scene_text(SHORTEST)?;
    let defaults: BTreeMap<String, String> =
        parameters(&scene)?.into_iter().map(|p| (p.key, p.value)).collect();
    let mut page = Page { text: HEAD.to_owned(), defaults, told: Vec::new() };
    page.table("", "", scene_fields());
    page.ranges();
    page.text.truncate(page.text.trim_end().len());
    page.text.push('\n');
    Ok(page.text)
}

struct Page {
    text: String,
    defaults: BTreeMap<String, String>,
    /// Tables that have been described, and where.
    told: Vec<(*const Fields, String)>,
}

impl Page {
    /// A section on a table, then those of the tables inside. `path` is how a file spells it,
    /// `key` that of a first entry.
    fn table(&mut self, path: &str, key: &str, fields: &'static Fields) {
        let title = if path.is_empty() { "The file" } else { path };
        let code = if path.is_empty() { "" } else { "`" };
        let _ = writeln!(self.text, "## {code}{title}{code}\n");
        if let Some((_, told)) = self.told.iter().find(|(known, _)| std::ptr::eq(*known, fields)) {
            let _ = writeln!(self.text, "The same keys as in `{told}`.\n");
            return;
        }
        self.told.push((fields, path.to_owned()));
        if !fields.one_of.is_empty() {
            let also = if fields.entries.is_empty() { "" } else { " of those marked with a dot" };
            let _ = writeln!(self.text, "Exactly one{also}:\n");
        }
        self.text += "| key | value | default | what it is |\n| --- | --- | --- | --- |\n";
        for entry in fields.iter() {
            let dot = !fields.entries.is_empty()
                && fields.one_of.iter().any(|one| one.name == entry.name);
            self.row(entry, &join(key, entry.name), dot);
        }
        self.text.push('\n');
        for entry in fields.iter() {
            let (inner_path, inner_key) = (join(path, entry.name), join(key, entry.name));
            match entry.kind {
                Kind::Table(inner) => self.table(&inner_path, &inner_key, inner),
                Kind::Tables(inner) => self.table(&inner_path, &join(&inner_key, "0"), inner),
                _ => {}
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

    fn row(&mut self, entry: &Entry, key: &str, dot: bool) {
        let kind = match entry.kind {
            Kind::Table(_) => "table".to_owned(),
            Kind::Tables(_) => "list of tables".to_owned(),
            other => other.allowed().replace('"', "`"),
        };
        let unit = if entry.unit.is_empty() { String::new() } else { format!(" [{}]", entry.unit) };
        let default = match (entry.required, self.defaults.get(key)) {
            (true, _) => "needed".to_owned(),
            (false, Some(value)) => format!("`{value}`"),
            (false, None) => String::new(),
        };
        let mark = if dot { "· " } else { "" };
        let (name, help) = (entry.name, entry.help);
        let _ = writeln!(self.text, "| {mark}`{name}` | {kind}{unit} | {default} | {help} |");
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_page_in_the_book_is_up_to_date() {
        let page = include_str!("../../../../book/src/scene-reference.md");
        assert!(
            super::reference_page().unwrap() == page,
            "make it again: lawine scene --reference > book/src/scene-reference.md"
        );
    }
}
