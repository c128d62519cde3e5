use super::spectrum::density;
use super::*;
use crate::output::series::Column;
use crate::output::vtk::{FrameField, FrameValues};
use glam::DVec3;
use lawine_core::fit::Line;
use lawine_core::space::Dimension;
use lawine_scene::file::{FlowFieldMeasure, LayersMeasure, PathMeasure, Source, load};

/// Grains with their numbers, places and a speed.
fn frame(time: f64, grains: &[(u32, DVec3, f32)]) -> ParticleFrame {
    let field =
        |name: &str, values| FrameField { name: name.to_owned(), unit: String::new(), values };
    let places = grains.iter().map(|g| g.1).collect();
    let fields = vec![
        field("position", FrameValues::Vec3(places)),
        field("id", FrameValues::U32(grains.iter().map(|g| g.0).collect())),
        field("heat", FrameValues::F32(grains.iter().map(|g| g.2).collect())),
    ];
    ParticleFrame { time, fields }
}

#[test]
fn a_spectrum_has_the_power_and_the_exponent_of_its_signal() {
    // A tone of amplitude 3 at 20 Hz has the power 9/2, wherever the rows are.
    let time = |k: i32| (f64::from(k) + 0.3 * f64::from(k % 3)) * 1e-3;
    let rows: Vec<(f64, f64)> = (0..8192)
        .map(|k| (time(k), 7.0 + 3.0 * (20.0 * std::f64::consts::TAU * time(k)).sin()))
        .collect();
    let found = density(&rows);
    let spacing = found[1].0 - found[0].0;
    let power = found.iter().map(|(_, p)| p * spacing).sum::<f64>();
    let loudest = found.iter().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap().0;
    assert!((power / 4.5 - 1.0).abs() < 0.02 && (loudest - 20.0).abs() < spacing, "{power}");
    // A sum of white noise falls as f⁻².
    let mut random = lawine_core::geometry::Random::new(1);
    let mut sum = 0.0;
    let rows: Vec<(f64, f64)> = (0..65_536)
        .map(|k| {
            sum += random.unit() - 0.5;
            (f64::from(k) * 1e-3, sum)
        })
        .collect();
    let low = density(&rows).into_iter().filter(|(f, _)| *f < 50.0);
    let Line { slope, .. } = Line::through(&low.map(|(f, p)| (f.ln(), p.ln())).collect::<Vec<_>>());
    assert!((slope + 2.0).abs() < 0.1, "{slope}");
    assert_eq!(density(&[]), [] as [(f64, f64); 0]);
}

#[test]
fn the_flow_is_what_particles_did_between_frames() {
    let axes = [lawine_scene::file::Axis::X, lawine_scene::file::Axis::Y];
    let asked = FlowFieldMeasure { axes, cell: 0.1, within: None, span: None };
    let domain = Some(lawine_core::geometry::Aabb::new(DVec3::ZERO, DVec3::ONE));
    let space =
        Space { domain, periodic: [true, false, false], ..Space::unbounded(Dimension::Full) };
    let mut flow = flow_field::FlowField::new(&asked, &space);
    // One goes on over the end of the domain, in another order; the other stays.
    let (right, left) = (DVec3::new(0.99, 0.05, 0.0), DVec3::new(0.01, 0.05, 0.0));
    let still = DVec3::new(0.55, 0.55, 0.0);
    flow.add(&frame(1.0, &[(4, right, 0.0), (7, still, 0.0)])).unwrap();
    flow.add(&frame(1.1, &[(7, still, 0.0), (4, left, 0.0)])).unwrap();
    let arrows = flow.arrows("flow").arrows;
    assert_eq!(arrows.len(), 2);
    let moving = arrows.iter().find(|a| a[1] < 0.1).unwrap();
    assert!((moving[2] - 0.2).abs() < 1e-9 && moving[3].abs() < 1e-9, "{arrows:?}");
}

#[test]
fn layers_count_and_average() {
    let at = |y: f64| DVec3::new(0.0, y, 0.0);
    let frames = [
        frame(0.0, &[(0, at(0.05), 1.0), (1, at(0.08), 3.0)]),
        frame(1.0, &[(0, at(0.05), 2.0), (1, at(0.25), 5.0)]),
    ];
    let curve = |field: Option<&str>| {
        let along = lawine_scene::file::Axis::Y;
        let field = field.map(str::to_owned);
        let asked = LayersMeasure { along, thickness: 0.1, field, span: None };
        let mut layers = layers::Layers::new(&asked);
        frames.iter().for_each(|frame| layers.add(frame).unwrap());
        let NumberedCurve { x, y, .. } = layers.curves().curves.remove(0);
        x.into_iter().zip(y).map(|(x, y)| [x, y].map(|k| (k * 1e6).round() / 1e6)).collect()
    };
    let counted: Vec<[f64; 2]> = curve(None);
    assert_eq!(counted, [[1.5, 0.05], [0.5, 0.25]]);
    let heat: Vec<[f64; 2]> = curve(Some("heat"));
    assert_eq!(heat, [[2.0, 0.05], [5.0, 0.25]]);
}

#[test]
fn a_path_has_a_gap_where_it_leaves_a_periodic_domain() {
    let column =
        |name: &str, values: &[f64]| Column { name: name.to_owned(), values: values.to_vec() };
    let series = Series {
        columns: vec![
            column("time", &[0.0, 1.0, 2.0, 3.0, 4.0]),
            column("a.x", &[0.5, 0.7, 0.9, 0.1, 0.3]),
            column("a.y", &[0.0, 0.1, 0.0, 0.1, 0.0]),
        ],
    };
    let directory = tempfile::tempdir().unwrap();
    let directory = RunDirectory::create(directory.path()).unwrap();
    let space = Space::unbounded(Dimension::Full);
    let headings =
        ["a.x", "a.y"].map(|name| Heading { name: name.to_owned(), unit: "m".to_owned() });
    let scene = load(&Source::BuiltIn("drop".into()), &[]).unwrap().scene;
    let (directory, series, headings) = (&directory, &series, &headings);
    let record = Record { directory, series, headings, space: &space, scene: &scene };
    let asked = |from| PathMeasure {
        x: "a.x".into(),
        y: "a.y".into(),
        span: Some(Span { from: Some(from), to: None }),
    };
    let paths = [0.5, 3.0].map(|from| Measure {
        name: "paths".into(),
        of: None,
        kind: MeasureKind::Path(asked(from)),
    });
    let found = measure(&paths, &record).unwrap();
    assert_eq!(found.len(), 1, "curves of the same name fraction a figure");
    let text = table(&found);
    assert!(text.contains("paths,a,0.9,0.0,,\npaths,a,NaN,NaN,,\npaths,a,0.1,0.1,,"), "{text}");
    assert!(found[0].svg().contains("x [m]"));
}
