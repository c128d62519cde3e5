//! Every key of a study file with its kind and help, table by table.

use super::schema::{FindingKind, Over, PlotKind, Reduction};
use lawine_scene::file::Kind::{
    Count, Flag, Number, Pair, Rows, Table, Tables, Text, Texts, Values, Vectors, Word,
};
use lawine_scene::file::{Fields, Kind, all, may, must};

const COUNT: Kind = Count(u32::MAX as u64);

/// The whole file.
pub(super) const STUDY: &Fields = &all(&[
    must("title", "", Text, "title of the study"),
    may("about", "", Text, "what is studied and what to see"),
    may("source", "", Text, "where the printed numbers come from"),
    may("timing", "", Flag, "whether times are compared: runs go one at a time"),
    may("threads", "", COUNT, "threads of each run"),
    may("repeat", "", COUNT, "how often each run is repeated"),
    may("scene", "", Text, "a built-in scene or a scene file"),
    may("experiment", "", Text, "a built-in experiment"),
    may("set", "", Texts, "settings of all runs, KEY=VALUE"),
    may("quick", "", Table(QUICK), "what differs in the short form"),
    must("case", "", Tables(CASE), "the runs"),
    must("measure", "", Tables(MEASURE), "what is measured"),
    may("reference", "", Tables(REFERENCE), "printed numbers to compare with"),
    may("finding", "", Tables(FINDING), "what the table is asked"),
    may("plot", "", Tables(PLOT), "what is drawn"),
    may("pictures", "", Table(PICTURES), "pictures of the runs side by side"),
]);

const QUICK: &Fields = &all(&[
    may("set", "", Texts, "settings of all runs on top of the others"),
    may("repeat", "", COUNT, "how often each run is repeated"),
]);

const CASE: &Fields = &all(&[
    must("name", "", Text, "short name of the runs"),
    may("label", "", Text, "name in tables and legends"),
    may("scene", "", Text, "a scene instead of the study's"),
    may("experiment", "", Text, "an experiment instead of the study's"),
    may("set", "", Texts, "settings on top of the study's, KEY=VALUE"),
    may("vary", "", Tables(VARY), "keys that vary; all combinations are run"),
    may("search", "", Table(SEARCH), "looks for the largest good value of a key"),
    may("may_fail", "", Flag, "whether a failed run is a result like any other"),
    may("skip_quick", "", Flag, "whether the short form leaves the case out"),
]);

const VARY: &Fields = &all(&[
    must("key", "", Text, "path of the key"),
    may("name", "", Text, "name in tables"),
    may("unit", "", Text, "unit, for tables and axes"),
    may("values", "", Values, "its values"),
    may("range", "", Table(RANGE), "its values, evenly spread"),
    may("log_range", "", Table(RANGE), "its values, each the same factor above the last"),
    may("quick", "", Values, "its values in the short form"),
    may("zip", "", Text, "keys with the same word here change together"),
]);

const RANGE: &Fields = &all(&[
    must("from", "", Number, "the first value"),
    must("to", "", Number, "the last value"),
    must("count", "", COUNT, "how many values"),
]);

const SEARCH: &Fields = &all(&[
    must("key", "", Text, "path of the key"),
    may("name", "", Text, "name in tables"),
    must("from", "", Number, "a value that is good"),
    must("to", "", Number, "a value that is not"),
    may("tolerance", "", Number, "relative difference at which the search ends"),
    must("below", "", Tables(LIMIT), "measures that must stay below a limit"),
]);

const LIMIT: &Fields = &all(&[
    must("measure", "", Text, "name of the measure"),
    must("limit", "", Number, "its largest good value"),
]);

const MEASURE: &Fields = &all(&[
    must("name", "", Text, "name of the measure"),
    may("label", "", Text, "heading in tables and at axes"),
    may("unit", "", Text, "unit"),
    must("of", "", Text, "summary.KEY, phases.NAME, series.COLUMN or result.NAME"),
    may("reduce", "", Word(Reduction::WORDS), "how a column becomes a number"),
    may("window", "s", Pair, "the times that count"),
    may("fit", "1/s", Pair, "the frequencies between which a spectrum decays"),
    may("minus", "", Number, "subtracted first"),
    may("scale", "", Number, "multiplied then"),
    may("per", "", Text, "divided by this measure"),
    may("over", "", Word(Over::WORDS), "how repetitions become one number"),
    may("hidden", "", Flag, "whether it is left out of the printed table"),
]);

const REFERENCE: &Fields = &all(&[
    must("label", "", Text, "where the numbers come from"),
    may("case", "", Text, "the case they belong to"),
    must("columns", "", Texts, "names of keys that vary and of measures"),
    must("rows", "", Rows, "the numbers"),
    may(
        "formula",
        "",
        Flag,
        "whether a formula of the source gives them, and they are not printed",
    ),
]);

const FINDING: &Fields = &all(&[
    must("text", "", Text, "what it tells"),
    may("kind", "", Word(FindingKind::WORDS), "what is asked"),
    may("x", "", Text, "along this key or measure"),
    may("y", "", Text, "of this measure"),
    may("other", "", Text, "the measure that crosses it"),
    may("case", "", Text, "among the runs of this case"),
    may("than", "", Text, "the case that it is compared with"),
    may("within", "", Pair, "among the rows whose x is between these"),
    may("expect", "", Pair, "from where to where the answer is as expected"),
    may("quick_expect", "", Pair, "the same for the short form"),
    may("reference", "", Number, "the answer that is printed in the source"),
    may("skip_quick", "", Flag, "whether only the full form is asked"),
]);

const PLOT: &Fields = &all(&[
    must("name", "", Text, "name of the file, without its ending"),
    may("title", "", Text, "title"),
    may("kind", "", Word(PlotKind::WORDS), "what is drawn"),
    may("x", "", Text, "along x: a key, a measure or a column of the series"),
    must("y", "", Texts, "along y: measures or columns of the series"),
    may("x_label", "", Text, "at the x axis"),
    may("y_label", "", Text, "at the y axis"),
    may("x_log", "", Flag, "whether x is logarithmic"),
    may("y_log", "", Flag, "whether y is logarithmic"),
    may("x_range", "", Pair, "the x axis, from and to"),
    may("y_range", "", Pair, "the y axis, from and to"),
    may("x_scale", "", Number, "multiplies x"),
    may("y_scale", "", Number, "multiplies y"),
    may("x_shift", "", Number, "added to x after scaling"),
    may("y_shift", "", Number, "added to y after scaling"),
    may("smooth", "", Number, "curves of series are means over this width along x"),
    may("cases", "", Texts, "the cases that are drawn"),
    may("points", "", Flag, "points without lines"),
    may("reference", "", Tables(PLOT_REFERENCE), "printed curves"),
]);

const PLOT_REFERENCE: &Fields = &all(&[
    must("label", "", Text, "name in the legend"),
    may("file", "", Text, "a CSV file with a header row"),
    may("x", "", Text, "its column along x"),
    may("y", "", Text, "its column along y"),
    may("points", "", Vectors, "the points, without a file"),
    may("x_scale", "", Number, "multiplies x"),
    may("y_scale", "", Number, "multiplies y"),
    may("line", "", Flag, "whether it is drawn as a line"),
]);

const PICTURES: &Fields = &all(&[
    may("cases", "", Texts, "the cases that are shown"),
    may("columns", "", COUNT, "pictures in a row"),
]);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::StudyFile;
    use lawine_scene::file::read_toml;

    /// An inline table with every key of a table.
    fn sample(fields: &'static Fields) -> String {
        let value = |kind: Kind| match kind {
            Table(inner) => sample(inner),
            Tables(inner) => format!("[{}]", sample(inner)),
            Word(words) => format!("{:?}", words[0]),
            Text => "\"a\"".to_owned(),
            Texts => "[\"a\"]".to_owned(),
            Flag => "true".to_owned(),
            Pair => "[0, 1]".to_owned(),
            Rows | Vectors => "[[0.0, 1.0]]".to_owned(),
            Values => "[1, \"a\"]".to_owned(),
            _ => "1".to_owned(),
        };
        let keys: Vec<String> =
            fields.iter().map(|entry| format!("{} = {}", entry.name, value(entry.kind))).collect();
        format!("{{ {} }}", keys.join(", "))
    }

    #[test]
    fn every_key_that_is_described_can_be_read() {
        let inline = sample(STUDY);
        let document = format!("all = {inline}").parse::<toml_edit::DocumentMut>().unwrap();
        let table = document["all"].as_inline_table().unwrap().clone().into_table();
        let text = toml_edit::DocumentMut::from(table).to_string();
        read_toml::<StudyFile>("sample", &text, &[], STUDY).unwrap_or_else(|e| panic!("{e}"));
    }
}
