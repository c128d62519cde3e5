//! `report.html`: the study on one self-contained page.

use crate::collect::Collected;
use crate::engine::Study;
use crate::file::with_unit;
use crate::pictures::Shown;
use crate::plot::Drawing;
use crate::table::{Row, Table};
use lawine_record::output::plot::escape;
use lawine_record::output::report::{CONTENT_POLICY, base64, number};
use std::fmt::Write as _;

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:76rem;margin:2rem auto;\
padding:0 1rem;color:#222}h1{font-size:1.7rem;margin-bottom:.2rem}.source{color:#666}\
table{border-collapse:collapse;font-size:.9rem;margin:1rem 0}td,th{padding:.25rem .7rem;\
text-align:right;border-bottom:1px solid #ddd}th{border-bottom:2px solid #888;vertical-align:bottom}\
td.printed{color:#666}td.left,th.left{text-align:left}.plots{display:flex;flex-wrap:wrap;gap:1rem}\
.plots svg{max-width:100%;height:auto}.pictures{display:grid;gap:.8rem}figure{margin:0}\
figure img{width:100%;border:1px solid #ddd}figcaption{font-size:.85rem;color:#444}\
.wide{overflow-x:auto}.bad{color:#a30}@media print{.plots svg{break-inside:avoid}}";

/// The page.
pub(crate) fn html(
    study: &Study,
    collected: &Collected,
    drawings: &[(String, Drawing)],
    shown: &[Shown],
) -> String {
    let loaded = study.loaded();
    let file = &loaded.file;
    let title = escape(&file.title);
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n{CONTENT_POLICY}\n<title>{title}</title>\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<style>{STYLE}</style></head>\n\
         <body>\n<h1>{title}</h1>\n"
    );
    let form = if study.quick { " --quick" } else { "" };
    let command = escape(&format!("lawine study {}{form}", loaded.argument));
    let source = escape(&file.source);
    let _ = writeln!(page, "<p class=\"source\">{source} <code>{command}</code></p>");
    for paragraph in file.about.split("\n\n").filter(|p| !p.trim().is_empty()) {
        let _ = writeln!(page, "<p>{}</p>", escape(paragraph.trim()));
    }
    if collected.open > 0 {
        let _ =
            writeln!(page, "<p class=\"bad\">{} runs have not been done yet.</p>", collected.open);
    }
    findings(&mut page, collected);
    table(&mut page, &collected.table);
    page += "<div class=\"plots\">\n";
    for (_, drawing) in drawings {
        let _ = writeln!(page, "{}", drawing.svg);
    }
    page += "</div>\n";
    if let Some(spec) = &file.pictures {
        pictures(&mut page, spec.columns, shown);
    }
    let _ = writeln!(page, "<p class=\"source\">lawine {}</p>", env!("CARGO_PKG_VERSION"));
    page += "</body></html>\n";
    page
}

fn findings(page: &mut String, collected: &Collected) {
    if collected.answers.is_empty() && collected.skipped_findings.is_empty() {
        return;
    }
    *page += "<ul>\n";
    for answer in &collected.answers {
        let class = if answer.expected == Some(false) { " class=\"bad\"" } else { "" };
        let _ = writeln!(page, "<li{class}>{}</li>", escape(&answer.sentence()));
    }
    for text in &collected.skipped_findings {
        let _ = writeln!(page, "<li>{}: not answered by the quick version</li>", escape(text));
    }
    *page += "</ul>\n";
}

/// Ours, and where there is one the printed number and the ratio.
fn table(page: &mut String, table: &Table) {
    *page += "<div class=\"wide\"><table>\n<tr>";
    let head = |page: &mut String, text: &str| {
        let _ = write!(page, "<th>{}</th>", escape(text));
    };
    if table.has_cases() {
        *page += "<th class=\"left\">case</th>";
    }
    for (name, unit) in &table.keys {
        head(page, &with_unit(name, unit));
        if table.has_reference(name) {
            head(page, "printed");
        }
    }
    for measure in table.visible() {
        head(page, &measure.heading());
        if table.has_reference(&measure.name) {
            head(page, table.reference_word(&measure.name));
            head(page, "ratio");
        }
    }
    if table.has_failures() {
        *page += "<th class=\"left\">failed</th>";
    }
    if table.has_warnings() {
        *page += "<th class=\"left\">warning</th>";
    }
    *page += "</tr>\n";
    for row in &table.rows {
        *page += "<tr>";
        line(page, table, row);
        *page += "</tr>\n";
    }
    *page += "</table></div>\n";
    for (mark, note) in table.notes() {
        let _ = writeln!(page, "<p class=\"bad\">{mark} {}</p>", escape(note));
    }
}

fn line(page: &mut String, table: &Table, row: &Row) {
    let mut cell = |class: &str, text: &str| {
        let _ = write!(page, "<td{class}>{}</td>", escape(text));
    };
    let (left, printed) = (" class=\"left\"", " class=\"printed\"");
    if table.has_cases() {
        cell(left, &table.cases[row.case]);
    }
    let dash = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), number);
    for (name, _) in &table.keys {
        cell("", &row.setting(name).unwrap_or_else(|| "–".to_owned()));
        if table.has_reference(name) {
            cell(printed, &dash(row.cells.get(name).and_then(|c| c.reference)));
        }
    }
    for measure in table.visible() {
        let Some(found) = row.cells.get(&measure.name) else { continue };
        let error = match found.error {
            error if error > 0.0 => format!(" ± {}", number(error)),
            _ => String::new(),
        };
        cell("", &format!("{}{error}", number(found.value)));
        if table.has_reference(&measure.name) {
            cell(printed, &dash(found.reference));
            cell(printed, &dash(found.ratio()));
        }
    }
    if table.has_failures() {
        cell(left, &table.marks(&row.failures));
    }
    if table.has_warnings() {
        cell(left, &table.marks(&row.warnings));
    }
}

/// The pictures side by side.
fn pictures(page: &mut String, columns: Option<u32>, shown: &[Shown]) {
    let columns = columns.unwrap_or(3).max(1);
    let _ = writeln!(
        page,
        "<div class=\"pictures\" style=\"grid-template-columns:repeat({columns},1fr)\">"
    );
    for Shown { label, png } in shown {
        let _ = writeln!(
            page,
            "<figure><img alt=\"{0}\" src=\"data:image/png;base64,{1}\">\
             <figcaption>{0}</figcaption></figure>",
            escape(label),
            base64(png)
        );
    }
    *page += "</div>\n";
}
