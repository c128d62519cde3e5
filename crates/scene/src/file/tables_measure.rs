//! The keys of measurements.

use super::reference::{Entry, Fields, Kind, all, may, must};
use super::tables::EXTENT;
use super::words::Axis;
use Kind::{Number, Pair, Table, Text, Word, Words};

pub(super) const MEASURE: &Fields = &Fields {
    entries: &[must("name", "", Text, "title of the figure; curves of the same name share one")],
    one_of: &[
        may("spectrum", "", Table(SPECTRUM), "power of a column over the frequency"),
        may("path", "", Table(PATH), "one column over another, such as the path of a grain"),
        may("flow_field", "", Table(FLOW_FIELD), "mean flow of the particles, cell by cell"),
        may("layers", "", Table(LAYERS), "particles in layers, or the mean of a field there"),
    ],
};

const SPAN: Entry = may("span", "", Table(FROM_TO), "time that counts; the whole run without it");

const FROM_TO: &Fields = &all(&[
    may("from", "s", Number, "beginning; that of the run without it"),
    may("to", "s", Number, "end; that of the run without it"),
]);

const SPECTRUM: &Fields = &all(&[
    must("column", "", Text, "column of series.csv"),
    may("fit", "1/s", Pair, "frequencies between which the exponent is fitted; all without it"),
    SPAN,
]);

const PATH: &Fields = &all(&[
    must("x", "", Text, "column of series.csv along the horizontal axis"),
    must("y", "", Text, "column of series.csv along the vertical axis"),
    SPAN,
]);

const FLOW_FIELD: &Fields = &all(&[
    must("axes", "", Words(Axis::WORDS), "two axes of the plane that is shown"),
    must("cell", "m", Number, "edge of a cell"),
    may("within", "", Table(EXTENT), "box in which particles count; all without it"),
    SPAN,
]);

const LAYERS: &Fields = &all(&[
    must("along", "", Word(Axis::WORDS), "axis across the layers"),
    must("thickness", "m", Number, "thickness of a layer"),
    may("field", "", Text, "field whose mean is taken; the number of particles without it"),
    SPAN,
]);
