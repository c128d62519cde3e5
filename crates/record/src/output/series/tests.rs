use std::fs;

use proptest::prelude::*;

use super::*;

const COLUMNS: [&str; 3] = ["time [s]", "kinetic energy [J]", "height, \"left\" [m]"];

fn written(path: &Path, times: &[f64]) {
    let mut writer = SeriesWriter::create(path, &COLUMNS).unwrap();
    for &time in times {
        writer.row(&[time, time * 1e-9, 1.0 / 3.0]).unwrap();
    }
    writer.flush().unwrap();
}

#[test]
fn what_is_written_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("series.csv");
    written(&path, &[0.0, 0.1, 0.2]);
    let text = fs::read_to_string(&path).unwrap();
    assert!(
        text.starts_with("time [s],kinetic energy [J],\"height, \"\"left\"\" [m]\"\n0.0,0.0,0.333")
    );
    let series = Series::read(&path).unwrap();
    assert_eq!(series.columns.iter().map(|c| &*c.name).collect::<Vec<_>>(), COLUMNS);
    assert_eq!(series.column("time [s]"), Some([0.0, 0.1, 0.2].as_slice()));
    assert_eq!(series.column("pressure"), None);
    assert_eq!(series.rows(), 3);
}

#[test]
fn the_limit_of_a_step_is_a_word_beside_the_numbers() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("series.csv");
    let names = ["time [s]", "mass [kg]", LIMIT];
    let mut writer = SeriesWriter::create(&path, &names).unwrap();
    writer.row_with_limit(&[0.0, 1.0], "start").unwrap();
    writer.row_with_limit(&[0.1, 2.0], "snow: elastic waves").unwrap();
    writer.row(&[0.2, 3.0]).unwrap_err();
    drop(writer);
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!(text, "time [s],mass [kg],step limit\n0.0,1.0,start\n0.1,2.0,snow: elastic waves\n");
    let series = Series::read(&path).unwrap();
    assert_eq!(series.columns.iter().map(|c| &*c.name).collect::<Vec<_>>(), names[..2]);
    assert_eq!(series.column("mass [kg]"), Some([1.0, 2.0].as_slice()));
    let writer = SeriesWriter::resume(&path, &names, 0.05).unwrap();
    assert_eq!(writer.last_time(), Some(0.0));
}

#[test]
fn resuming_cuts_what_came_after() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("series.csv");
    written(&path, &[0.0, 0.1, 0.2, 0.3]);
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("{text}0.4,1.0,0")).unwrap();

    let mut writer = SeriesWriter::resume(&path, &COLUMNS, 0.2).unwrap();
    assert_eq!(writer.last_time(), Some(0.2));
    writer.row(&[0.25, f64::NAN, f64::INFINITY]).unwrap();
    drop(writer);
    let series = Series::read(&path).unwrap();
    assert_eq!(series.column("time [s]"), Some([0.0, 0.1, 0.2, 0.25].as_slice()));
    assert!(series.columns[1].values[3].is_nan());
    assert!(series.columns[2].values[3].is_infinite());
}

#[test]
fn an_incomplete_last_row_is_dropped() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("series.csv");
    fs::write(&path, "t,a\n0.0,1\n0.1,2").unwrap();
    assert_eq!(Series::read(&path).unwrap().rows(), 1);
    let writer = SeriesWriter::resume(&path, &["t", "a"], 9.0).unwrap();
    assert_eq!(writer.last_time(), Some(0.0));
    drop(writer);
    assert_eq!(fs::read_to_string(&path).unwrap(), "t,a\n0.0,1\n");
}

#[test]
fn another_header_is_refused_and_nothing_changes() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("series.csv");
    written(&path, &[0.0, 0.1]);
    let before = fs::read(&path).unwrap();
    let error = SeriesWriter::resume(&path, &["time [s]", "mass [kg]"], 0.0).unwrap_err();
    assert!(error.to_string().contains("mass [kg]"), "{error}");
    assert_eq!(fs::read(&path).unwrap(), before);
    assert!(SeriesWriter::resume(&dir.path().join("none.csv"), &COLUMNS, 0.0).is_err());
}

#[test]
fn bad_input_names_the_line() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("series.csv");
    for (text, expected) in [
        ("", "line 1: there is no header"),
        ("t,a\n0,1\n1,2,3\n", "line 3: 3 values for 2 columns"),
        ("t,a\n0,abc\n", "line 2: `abc` is not a number"),
    ] {
        fs::write(&path, text).unwrap();
        let message = Series::read(&path).unwrap_err().to_string();
        assert!(message.contains(expected), "{message}");
    }
    fs::write(&path, b"t,a\n\xff\xfe,1\n").unwrap();
    assert!(Series::read(&path).is_err());
    for columns in [&[][..], &["a", "a"], &["a\nb"], &[""]] {
        assert!(matches!(SeriesWriter::create(&path, columns), Err(SeriesError::Columns { .. })));
    }
    let mut writer = SeriesWriter::create(&path, &["a", "b"]).unwrap();
    assert!(matches!(writer.row(&[1.0]), Err(SeriesError::RowLength { .. })));
}

proptest! {
    #[test]
    fn every_number_keeps_its_bits(values in proptest::collection::vec(any::<f64>(), 1..40)) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("series.csv");
        let mut writer = SeriesWriter::create(&path, &["a"]).unwrap();
        for &value in &values {
            writer.row(&[value]).unwrap();
        }
        drop(writer);
        let read = Series::read(&path).unwrap();
        for (a, b) in values.iter().zip(&read.columns[0].values) {
            prop_assert!(a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan()));
        }
        prop_assert_eq!(read.rows(), values.len());
    }
}
