use proptest::prelude::*;

use super::*;

fn plot(x: &[f64], y: &[f64]) -> Plot {
    let curve = Curve::line("a", x.iter().zip(y).map(|(&x, &y)| [x, y]).collect());
    Plot {
        title: "Energy".to_owned(),
        x: Axis::new("time", "s"),
        y: Axis::new("energy", "J"),
        curves: vec![curve],
    }
}

const LOOKS: [LineStyle; 6] = [
    LineStyle::Line,
    LineStyle::Marked,
    LineStyle::Points,
    LineStyle::Reference,
    LineStyle::Theory,
    LineStyle::Broken,
];

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
    let svg = plot(&[0.0, 1.0], &[0.0, 9.3]).draw().svg();
    for label in ["0", "2", "4", "10", "0.2", "1.0", "time [s]", "energy [J]"] {
        assert!(texts(&svg).contains(&label), "{label} in {:?}", texts(&svg));
    }
}

#[test]
fn large_and_small_numbers_share_a_power_of_ten() {
    let svg = plot(&[0.0, 1.0], &[-2.0e6, 9.3e6]).draw().svg();
    assert!(texts(&svg).contains(&"energy [10⁶ J]"), "{:?}", texts(&svg));
    assert!(texts(&svg).contains(&"−2"));
    let svg = plot(&[0.0, 1.0], &[1.0e-4, 1.0e-4]).draw().svg();
    assert!(texts(&svg).contains(&"energy [10⁻⁶ J]"), "{:?}", texts(&svg));
}

#[test]
fn logarithmic_axes_leave_out_what_is_not_positive() {
    let mut plot = plot(&[0.0, 1.0, 2.0, 3.0], &[0.0, 1e-5, 1.0, -3.0]);
    plot.y.log = true;
    let svg = plot.draw().svg();
    assert!(texts(&svg).contains(&"10⁻⁵") && texts(&svg).contains(&"10⁰"), "{:?}", texts(&svg));
    assert!(!svg.contains("NaN") && !svg.contains("inf"));
}

#[test]
fn a_range_is_kept_and_what_is_outside_is_left_out() {
    let mut plot = plot(&[0.0, 1.0, 2.0, 3.0], &[1.0, 2.0, 50.0, 3.0]);
    plot.y.range = Some([0.5, 4.5]);
    let svg = plot.draw().svg();
    assert!(texts(&svg).contains(&"4") && !texts(&svg).contains(&"50"), "{:?}", texts(&svg));
    // Two pieces: a line, and a dot behind the gap.
    assert!(svg.contains("h0\""), "{svg}");
    plot.y.range = Some([60.0, 70.0]);
    assert!(plot.is_empty() && plot.draw().svg().contains("no data"));
}

#[test]
fn curves_look_as_they_are_told_in_both_forms() {
    let white = |plot: &Plot| {
        let png = plot.draw().png();
        let image = lawine_render::Image::decode_png(std::io::Cursor::new(png)).unwrap();
        image.rgb().chunks(3).filter(|pixel| pixel == &[255; 3]).count()
    };
    let none = white(&plot(&[0.0, 1.0, 2.0], &[1.0, f64::NAN, 2.0]));
    let mut seen = Vec::new();
    for style in LOOKS {
        let mut plot = plot(&[0.0, 1.0, 2.0], &[1.0, 2.0, 1.5]);
        plot.curves[0].style = style;
        assert!(white(&plot) < none, "{style:?}");
        let svg = plot.draw().svg();
        assert!(!seen.contains(&svg), "{style:?}");
        seen.push(svg);
        plot.curves[0].errors = vec![0.1, 0.0, f64::NAN];
        assert!(plot.draw().svg() != seen[seen.len() - 1], "{style:?}");
    }
}

#[test]
fn nothing_to_draw_is_said() {
    for values in [&[][..], &[f64::NAN, f64::INFINITY]] {
        let svg = plot(values, values).draw().svg();
        assert!(svg.contains("no data"), "{svg}");
    }
    assert!(Bars::default().draw().svg().contains("no data"));
}

#[test]
fn a_file_has_its_title_and_paper() {
    let drawing = plot(&[0.0, 1.0], &[0.0, 1.0]).draw();
    let (page, file) = (drawing.svg(), drawing.clone().alone());
    assert!(!texts(&page).contains(&"Energy") && texts(&file.svg()).contains(&"Energy"));
    let height =
        |png: &[u8]| lawine_render::Image::decode_png(std::io::Cursor::new(png)).unwrap().height();
    assert_eq!(height(&file.png()), height(&drawing.png()) + 52);
}

#[test]
fn names_are_escaped() {
    let mut plot = plot(&[0.0, 1.0], &[0.0, 1.0]);
    plot.title = "<script>\"'&".to_owned();
    plot.curves.push(Curve { label: "<b>".to_owned(), ..plot.curves[0].clone() });
    let svg = plot.draw().svg();
    assert!(!svg.contains("<script>") && !svg.contains("<b>") && svg.contains("&lt;b&gt;"));
    let bars = Bars { items: vec![("<i>".to_owned(), vec![1.0])], ..Bars::default() };
    assert!(!bars.draw().svg().contains("<i>"));
}

#[test]
fn many_rows_make_a_small_picture_with_every_peak() {
    let x: Vec<f64> = (0..200_000).map(f64::from).collect();
    let mut y = vec![0.5; x.len()];
    y[77_777] = 10.0;
    let svg = plot(&x, &y).draw().svg();
    assert!(svg.len() < 60_000, "{}", svg.len());
    // The peak reaches the top of the frame.
    assert!(svg.contains(" 48.0L"), "the peak is missing");
}

#[test]
fn bars_show_amount_and_share() {
    let items = vec![
        ("neighbours".to_owned(), vec![3.0]),
        ("density".to_owned(), vec![1.0]),
        ("broken".to_owned(), vec![f64::NAN]),
    ];
    let mut bars = Bars { unit: "s".to_owned(), items, ..Bars::default() };
    let svg = bars.draw().svg();
    assert!(svg.contains("3.00 s  (75 %)") && svg.contains("0 s  (0 %)"), "{svg}");
    bars.parts = vec!["one".to_owned(), "two".to_owned()];
    bars.items[0].1.push(4.0);
    let svg = bars.draw().svg();
    assert!(svg.contains(">two<") && svg.contains("7.00 s<"), "{svg}");
}

proptest! {
    #[test]
    fn any_numbers_make_a_picture(
        rows in proptest::collection::vec((any::<f64>(), any::<f64>()), 0..20),
        log in any::<bool>(),
        style in proptest::sample::select(&LOOKS[..]),
    ) {
        let (x, y): (Vec<f64>, Vec<f64>) = rows.into_iter().unzip();
        let mut plot = plot(&x, &y);
        plot.y.log = log;
        plot.curves[0].style = style;
        let svg = plot.draw().svg();
        prop_assert!(!svg.contains("NaN") && !svg.contains("inf"), "{}", svg);
        prop_assert!(svg.len() < 30_000);
        prop_assert!(plot.draw().png().len() > 100);
    }
}
