//! Findings: quantities computed from the table, such as exponents, best values, crossings.

use crate::file::{Finding, FindingKind, LoadedStudy};
use crate::table::{Cell, Row, Table};
use lawine_core::fit::Line;
use lawine_record::output::report::number;

/// An answer.
#[derive(Clone, Debug)]
pub struct Answer {
    /// What was asked.
    pub text: String,
    /// The number; NaN where the table has no answer.
    pub value: f64,
    /// Whether it is as expected; none if nothing was.
    pub expected: Option<bool>,
    /// From where to where it was expected.
    pub range: Option<[f64; 2]>,
    /// The answer that is printed in the source.
    pub reference: Option<f64>,
    /// The answer that the numbers beside ours give, and what they are: printed, or those of a formula.
    pub derived: Option<(f64, &'static str)>,
}

impl Answer {
    /// A sentence.
    pub fn sentence(&self) -> String {
        let mut text = format!("{}: {}", self.text, number(self.value));
        if let Some(reference) = self.reference {
            text += &format!(" (printed: {})", number(reference));
        } else if let Some((derived, word)) = self.derived {
            let source = if word == "formula" { "formula" } else { "printed numbers" };
            text += &format!(" (from the {source}: {})", number(derived));
        }
        if let (Some(expected), Some([from, to])) = (self.expected, self.range) {
            let (word, from, to) =
                (if expected { "as" } else { "not as" }, number(from), number(to));
            text += &format!(", {word} expected ({from} to {to})");
        }
        text
    }
}

/// Answers the questions of a study, or those that its short form can answer.
pub(crate) fn answers(study: &LoadedStudy, quick: bool, table: &Table) -> Vec<Answer> {
    let answer = |finding: &Finding| {
        let rows = |case: Option<&str>, of: fn(&Row) -> Row| -> Vec<Row> {
            let is_within = |row: &&Row| {
                let x = row.number(&finding.x);
                finding.within.is_none_or(|[from, to]| (from..=to).contains(&x))
            };
            table.of_case(study, case).filter(is_within).map(of).collect()
        };
        let (case, than) = (finding.case.as_deref(), finding.than.as_deref());
        let ask = |of: fn(&Row) -> Row| ask(finding, &rows(case, of), &rows(than, of));
        let short = finding.quick_expect.filter(|_| quick);
        let (value, range) = (ask(Row::clone), short.or(finding.expect));
        let can_be_printed = finding.kind != FindingKind::Failed;
        let derived = Some(ask(printed)).filter(|x| can_be_printed && x.is_finite());
        let derived = derived.map(|value| (value, table.reference_word(&finding.y)));
        let expected = range.map(|[from, to]| (from..=to).contains(&value));
        let (text, reference) = (finding.text.clone(), finding.reference);
        Answer { text, value, expected, range, reference, derived }
    };
    let asked = study.file.finding.iter().filter(|finding| !(quick && finding.skip_quick));
    asked.map(answer).collect()
}

/// The row with the printed numbers in place of ours.
fn printed(row: &Row) -> Row {
    let mut row = Row { failures: Vec::new(), ..row.clone() };
    for cell in row.cells.values_mut() {
        *cell = Cell { value: cell.reference.unwrap_or(f64::NAN), error: 0.0, reference: None };
    }
    row
}

fn ask(finding: &Finding, rows: &[Row], than: &[Row]) -> f64 {
    if finding.kind == FindingKind::Failed {
        return rows.iter().filter(|r| !r.failures.is_empty()).count() as f64 / rows.len() as f64;
    }
    // What a failed run has measured is no answer.
    let rows: Vec<&Row> = rows.iter().filter(|r| r.failures.is_empty()).collect();
    let pair = |row: &&Row| (row.number(&finding.x), row.number(&finding.y));
    let least = |rows: &mut dyn Iterator<Item = &Row>| {
        let ys = rows.map(|row| row.number(&finding.y)).filter(|y| y.is_finite());
        ys.reduce(f64::min).unwrap_or(f64::NAN)
    };
    let largest = |ys: &mut dyn Iterator<Item = f64>| {
        ys.filter(|y| y.is_finite()).reduce(f64::max).unwrap_or(f64::NAN)
    };
    let smallest = least(&mut rows.iter().copied());
    let mut ys = rows.iter().map(|row| row.number(&finding.y));
    match finding.kind {
        FindingKind::Smallest => smallest,
        FindingKind::Largest => largest(&mut ys),
        FindingKind::Spread => largest(&mut ys) / smallest,
        FindingKind::Factor => smallest / least(&mut than.iter().filter(|r| r.failures.is_empty())),
        FindingKind::Deviation => {
            let ratio = |row: &&Row| row.cells.get(&finding.y).and_then(Cell::ratio);
            largest(&mut rows.iter().filter_map(ratio).map(|ratio| (ratio - 1.0).abs()))
        }
        FindingKind::Best => rows
            .iter()
            .map(pair)
            .filter(|(_, y)| y.is_finite())
            .min_by(|a, b| a.1.total_cmp(&b.1))
            .map_or(f64::NAN, |(x, _)| x),
        FindingKind::Power => {
            let points: Vec<(f64, f64)> = rows
                .iter()
                .map(pair)
                .filter(|&(x, y)| x > 0.0 && y > 0.0)
                .map(|(x, y)| (x.ln(), y.ln()))
                .collect();
            Line::through(&points).slope
        }
        FindingKind::Crossing => crossing(finding, &rows),
        FindingKind::Failed => f64::NAN,
    }
}

/// The largest x at which the two measures are equal, between two rows by their logarithms.
fn crossing(finding: &Finding, rows: &[&Row]) -> f64 {
    let other = finding.other.as_deref().unwrap_or_default();
    let mut points: Vec<(f64, f64)> = rows
        .iter()
        .map(|r| (r.number(&finding.x).ln(), (r.number(&finding.y) / r.number(other)).ln()))
        .filter(|(x, d)| x.is_finite() && d.is_finite())
        .collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    let change = points.windows(2).rev().find(|w| w[0].1.signum() * w[1].1.signum() <= 0.0);
    change.map_or(f64::NAN, |w| {
        let fraction = w[0].1 / (w[0].1 - w[1].1);
        (w[0].0 + fraction * (w[1].0 - w[0].0)).exp()
    })
}
