use proptest::prelude::*;

use super::*;

fn plot<'a>(x: &'a [f64], y: &'a [f64]) -> Plot<'a> {
    let curve = Curve { label: "a".to_owned(), x, y, marks: false };
    Plot {
        title: "Energy".to_owned(),
        x: Axis::new("time", "s"),
        y: Axis::new("energy", "J"),
        curves: vec![curve],
    }
}

fn texts(svg: &str) -> Vec<&str> {
    svg.split("</text>").filter_map(|part| part.rsplit_once('>')).map(|(_, text)| text).collect()
}

#[test]
fn columns_name_their_axis() {
    assert_eq!(Axis::from_column("kinetic energy [J]"), Axis::new("kinetic energy", "J"));
    assert_eq!(Axis::from_column("iterations"), Axis::new("iterations", ""));
    assert_eq!(Axis::from_column("probe[3] [m/s]"), Axis::new("probe[3]", "m/s"));
    assert_eq!(Axis::from_column("odd]"), Axis::new("odd]", ""));
}

#[test]
fn ticks_are_round_numbers() {
    let svg = plot(&[0.0, 1.0], &[0.0, 9.3]).svg();
    for label in ["0", "2", "4", "10", "0.2", "1.0", "time [s]", "energy [J]"] {
        assert!(texts(&svg).contains(&label), "{label} in {:?}", texts(&svg));
    }
}

#[test]
fn large_and_small_numbers_share_a_power_of_ten() {
    let svg = plot(&[0.0, 1.0], &[-2.0e6, 9.3e6]).svg();
    assert!(texts(&svg).contains(&"energy [10⁶ J]"), "{:?}", texts(&svg));
    assert!(texts(&svg).contains(&"−2"));
    let svg = plot(&[0.0, 1.0], &[1.0e-4, 1.0e-4]).svg();
    assert!(texts(&svg).contains(&"energy [10⁻⁶ J]"), "{:?}", texts(&svg));
}

#[test]
fn logarithmic_axes_leave_out_what_is_not_positive() {
    let mut plot = plot(&[0.0, 1.0, 2.0, 3.0], &[0.0, 1e-5, 1.0, -3.0]);
    plot.y.log = true;
    let svg = plot.svg();
    assert!(texts(&svg).contains(&"10⁻⁵") && texts(&svg).contains(&"10⁰"), "{:?}", texts(&svg));
    assert!(!svg.contains("NaN") && !svg.contains("inf"));
}

#[test]
fn nothing_to_draw_is_said() {
    for values in [&[][..], &[f64::NAN, f64::INFINITY]] {
        let svg = plot(values, values).svg();
        assert!(svg.contains("no data"), "{svg}");
    }
    assert!(Bars::default().svg().contains("no data"));
}

#[test]
fn names_are_escaped() {
    let mut plot = plot(&[0.0, 1.0], &[0.0, 1.0]);
    plot.title = "<script>\"'&".to_owned();
    plot.curves.push(Curve { label: "<b>".to_owned(), ..plot.curves[0].clone() });
    let svg = plot.svg();
    assert!(!svg.contains("<script>") && !svg.contains("<b>") && svg.contains("&lt;b&gt;"));
    let bars = Bars { items: vec![("<i>".to_owned(), 1.0)], ..Bars::default() };
    assert!(!bars.svg().contains("<i>"));
}

#[test]
fn many_rows_make_a_small_picture_with_every_peak() {
    let x: Vec<f64> = (0..200_000).map(f64::from).collect();
    let mut y = vec![0.5; x.len()];
    y[77_777] = 10.0;
    let svg = plot(&x, &y).svg();
    assert!(svg.len() < 60_000, "{}", svg.len());
    // The peak reaches the top of the frame.
    assert!(svg.contains(" 30.0L"), "the peak is missing");
}

#[test]
fn bars_show_amount_and_share() {
    let items = vec![
        ("neighbours".to_owned(), 3.0),
        ("density".to_owned(), 1.0),
        ("broken".to_owned(), f64::NAN),
    ];
    let svg = Bars { title: "Time".to_owned(), unit: "s".to_owned(), items }.svg();
    assert!(svg.contains("3.00 s  (75 %)") && svg.contains("0 s  (0 %)"), "{svg}");
}

proptest! {
    #[test]
    fn any_numbers_make_a_picture(
        rows in proptest::collection::vec((any::<f64>(), any::<f64>()), 0..20),
        log in any::<bool>(),
        marks in any::<bool>(),
    ) {
        let (x, y): (Vec<f64>, Vec<f64>) = rows.into_iter().unzip();
        let mut plot = plot(&x, &y);
        plot.y.log = log;
        plot.curves[0].marks = marks;
        let svg = plot.svg();
        prop_assert!(!svg.contains("NaN") && !svg.contains("inf"), "{}", svg);
        prop_assert!(svg.len() < 30_000);
    }
}
