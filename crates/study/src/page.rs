//! `results.md`: the study as a page of the book, with its plots.

use crate::collect::Collected;
use crate::engine::Study;
use crate::pictures::Shown;
use std::fmt::Write as _;

/// The page: what is studied, what was found, the table and the plots of `plots/`.
///
/// Pictures of the runs come last, by their indices in `pictures/`.
pub(crate) fn markdown(
    study: &Study,
    collected: &Collected,
    drawn: &[&str],
    shown: &[Shown],
) -> String {
    let loaded = study.loaded();
    let file = &loaded.file;
    let form = if study.quick { " --quick" } else { "" };
    let mut page = format!("# {}\n\n*{}* `lawine study", file.title, file.source.trim());
    let _ = writeln!(page, " {}{form}`\n\n{}\n", loaded.argument, file.about.trim());
    for answer in &collected.answers {
        let mark = if answer.expected == Some(false) { "**" } else { "" };
        let _ = writeln!(page, "- {mark}{}{mark}", answer.sentence());
    }
    for text in &collected.skipped_findings {
        let _ = writeln!(page, "- {text}: not answered by the quick version");
    }
    if !(collected.answers.is_empty() && collected.skipped_findings.is_empty()) {
        page.push('\n');
    }
    let _ = writeln!(page, "{}", collected.table.markdown());
    for name in drawn {
        let _ = writeln!(page, "![{}](plots/{name}.svg)", name.replace('-', " "));
    }
    for (k, Shown { label, .. }) in shown.iter().enumerate() {
        let _ = writeln!(page, "\n![{label}](pictures/{k:02}.png)\n\n*{label}*");
    }
    page
}
