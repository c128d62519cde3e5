use std::fs;
use std::path::Path;

use glam::DVec3;
use lawine_core::{Field, FieldValues};
use proptest::prelude::*;

use super::*;

struct Particles {
    position: Vec<DVec3>,
    velocity: Vec<DVec3>,
    density: Vec<f64>,
    pressure: Vec<f32>,
    id: Vec<u32>,
}

impl Particles {
    fn new(count: u32) -> Self {
        let number = f64::from;
        Self {
            position: (0..count).map(|i| DVec3::new(number(i) * 0.1, -0.25, 1.0 / 3.0)).collect(),
            velocity: (0..count).map(|i| DVec3::new(0.0, 1e-12, number(i))).collect(),
            density: (0..count).map(|i| 1000.0 + number(i) / 7.0).collect(),
            pressure: (0..count).map(|i| i as f32 / 3.0).collect(),
            id: (0..count).map(|i| u32::MAX - i).collect(),
        }
    }

    fn fields(&self) -> Vec<Field<'_>> {
        vec![
            Field { name: "id", unit: "", values: FieldValues::U32(&self.id) },
            Field { name: "position", unit: "m", values: FieldValues::Vec3(&self.position) },
            Field { name: "velocity", unit: "m/s", values: FieldValues::Vec3(&self.velocity) },
            Field { name: "density", unit: "kg/m³", values: FieldValues::F64(&self.density) },
            Field { name: "p<\"&\">", unit: "Pa", values: FieldValues::F32(&self.pressure) },
        ]
    }
}

fn saved(count: u32) -> Vec<u8> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.vtp");
    save_particles(&path, 0.125, &Particles::new(count).fields()).unwrap();
    fs::read(&path).unwrap()
}

#[test]
fn particles_come_back_in_single_precision() {
    for count in [0, 1, 5000] {
        let particles = Particles::new(count);
        let frame = parse_particles(&saved(count)).unwrap();
        let rounded = |v: &DVec3| v.as_vec3().as_dvec3();
        assert_eq!(frame.time.to_bits(), 0.125_f64.to_bits());
        assert_eq!(frame.len(), count as usize);
        assert_eq!(frame.is_empty(), count == 0);
        assert_eq!(frame.positions(), particles.position.iter().map(rounded).collect::<Vec<_>>());
        let velocity = FrameValues::Vec3(particles.velocity.iter().map(rounded).collect());
        let density = FrameValues::F32(particles.density.iter().map(|&v| v as f32).collect());
        assert_eq!(frame.fields[1].values, FrameValues::U32(particles.id));
        assert_eq!(frame.fields[2].values, velocity);
        assert_eq!(frame.fields[3].values, density);
        assert_eq!(frame.fields[4].values, FrameValues::F32(particles.pressure));
        let names: Vec<_> = frame.fields().iter().map(|f| (f.name, f.unit)).collect();
        let expected = [("position", "m"), ("id", ""), ("velocity", "m/s"), ("density", "kg/m³")];
        assert_eq!(names[..4], expected);
        assert_eq!(names[4], ("p<\"&\">", "Pa"));
        assert!(frame.field("density").is_some() && frame.field("colour").is_none());
    }
}

#[test]
fn input_that_makes_no_frame_is_refused() {
    let path = Path::new("never-written.vtp");
    let particles = Particles::new(3);
    let all = particles.fields();
    let refused = |fields: &[Field<'_>]| save_particles(path, 0.0, fields).unwrap_err().to_string();
    assert!(refused(&all[2..]).contains("no field `position`"));
    assert!(refused(&[all[1], all[3], all[3]]).contains("two fields are called `density`"));
    let short = Field { values: FieldValues::F64(&particles.density[1..]), ..all[3] };
    assert!(refused(&[all[1], short]).contains("`density`: 2 values, 3 particles"));
    let scalar = Field { name: "position", ..all[3] };
    assert!(refused(&[scalar]).contains("not a vector"));
    assert!(!path.exists());
}

#[test]
fn surfaces_are_checked_and_written() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("bodies.vtp");
    let points = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    let good = Surface { points: &points, triangles: &[[0, 1, 2], [1, 2, 3]], body: &[0, 7] };
    save_surface(&path, 0.5, &good).unwrap();
    let bytes = fs::read(&path).unwrap();
    assert!(String::from_utf8_lossy(&bytes).contains("NumberOfPolys=\"2\""));
    let outside = Surface { triangles: &[[0, 1, 4], [1, 2, 3]], ..good };
    assert!(save_surface(&path, 0.5, &outside).unwrap_err().to_string().contains("point 4 of 4"));
    let uneven = Surface { body: &[0], ..good };
    assert!(save_surface(&path, 0.5, &uneven).is_err());
    assert_eq!(fs::read(&path).unwrap(), bytes);
}

#[test]
fn collections_come_back() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("frames.pvd");
    let mut collection = Collection::default();
    for (i, time) in [0.0, 0.1, 1e-7 + 0.2].into_iter().enumerate() {
        collection.push(time, "liquid", format!("frames/liquid-{i:06}.vtp"));
        collection.push(time, "bodies", format!("frames/bodies & \"co\"-{i:06}.vtp"));
        collection.save(&path).unwrap();
    }
    assert_eq!(Collection::read(&path).unwrap(), collection);
    collection.truncate_after(0.1);
    assert_eq!(collection.entries.len(), 4);

    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, &text[..text.len() / 2]).unwrap();
    assert!(Collection::read(&path).unwrap_err().to_string().contains("truncated"));
    fs::write(&path, text.replace("timestep=\"0.1\"", "timestep=\"x\"")).unwrap();
    assert!(Collection::read(&path).unwrap_err().to_string().contains("damaged"));
    fs::write(&path, "hello").unwrap();
    assert!(Collection::read(&path).is_err());
    fs::remove_file(&path).unwrap();
    assert!(matches!(Collection::read(&path), Err(VtkError::Io { .. })));
}

#[test]
fn each_damage_has_its_name() {
    let good = saved(20);
    for cut in 0..good.len() {
        assert!(parse_particles(&good[..cut]).is_err(), "cut at {cut}");
    }
    let cut = parse_particles(&good[..good.len() - 100]);
    assert!(matches!(cut, Err(VtkProblem::Truncated(_))), "{cut:?}");
    let head = parse_particles(&good[..300]);
    assert!(matches!(head, Err(VtkProblem::Truncated(_))), "{head:?}");
    assert!(matches!(parse_particles(b"solid cube"), Err(VtkProblem::Foreign(_))));
    let replaced = |from: &str, to: &str| {
        // The head is text up to the data; these replacements keep to it.
        let at = good.windows(from.len()).position(|w| w == from.as_bytes()).unwrap();
        [&good[..at], to.as_bytes(), &good[at + from.len()..]].concat()
    };
    for (from, to) in [
        ("NumberOfPoints=\"20\"", "NumberOfPoints=\"18446744073709551615\""),
        ("NumberOfPoints=\"20\"", "NumberOfPoints=\"21\""),
        ("offset=\"16\"", "offset=\"99999999\""),
        ("offset=\"16\"", "offset=\"-1\""),
        ("Name=\"TimeValue\"", "Name=\"TimeVelue\""),
    ] {
        let result = parse_particles(&replaced(from, to));
        assert!(matches!(result, Err(VtkProblem::Damaged(_))), "{to}: {result:?}");
    }
    let big_endian = parse_particles(&replaced("LittleEndian", "BigEndian"));
    assert!(matches!(big_endian, Err(VtkProblem::Foreign(_))));
}

proptest! {
    #[test]
    fn damaged_frames_never_panic(flips in proptest::collection::vec(any::<u32>(), 1..8)) {
        let mut bytes = saved(3);
        for flip in flips {
            let bit = flip as usize % (8 * bytes.len());
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
        if let Ok(frame) = parse_particles(&bytes) {
            prop_assert!(frame.fields.iter().all(|f| f.values.view().len() == frame.len()));
        }
    }
}

/// The whole list was written anew at every frame.
#[test]
fn a_growing_collection_can_be_read_at_any_time() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("frames.pvd");
    let mut writer = CollectionWriter::create(&path);
    let mut whole = Collection::default();
    assert!(!path.exists());
    for frame in 0..5_u32 {
        let time = 0.1 * f64::from(frame);
        for part in ["liquid", "bodies"] {
            writer.push(time, part, format!("frames/{part}-{frame}.vtp"));
            whole.push(time, part, format!("frames/{part}-{frame}.vtp"));
        }
        writer.commit().unwrap();
        assert_eq!(Collection::read(&path).unwrap(), whole);
    }
    let appended = fs::read(&path).unwrap();
    whole.save(&path).unwrap();
    assert_eq!(fs::read(&path).unwrap(), appended);

    // A run that goes on cuts it, and what a failing disk left.
    for damage in [appended.len(), appended.len() - 9, appended.len() - 60] {
        fs::write(&path, &appended[..damage]).unwrap();
        let mut writer = CollectionWriter::resume(&path, 0.25).unwrap();
        assert_eq!(Collection::read(&path).unwrap().entries, whole.entries[..6]);
        writer.push(0.3, "liquid", "frames/next.vtp");
        writer.commit().unwrap();
        let entries = Collection::read(&path).unwrap().entries;
        assert_eq!(entries[..6], whole.entries[..6]);
        assert_eq!((entries.len(), entries[6].file.as_str()), (7, "frames/next.vtp"));
    }
    // One without a list begins one.
    fs::remove_file(&path).unwrap();
    let mut writer = CollectionWriter::resume(&path, 0.25).unwrap();
    writer.push(0.3, "liquid", "frames/next.vtp");
    writer.commit().unwrap();
    assert_eq!(Collection::read(&path).unwrap().entries.len(), 1);
}
