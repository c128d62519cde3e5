//! Tests of mesh loading, on small files made here.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use lawine_core::geometry::{MeshError, TriangleMesh};
use proptest::prelude::*;

use super::{MeshProblem, load_mesh};

/// The corners of a unit cube, and its faces as squares, counter-clockwise from outside.
const CORNERS: [[u8; 3]; 8] =
    [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]];
const SQUARES: [[u32; 4]; 6] =
    [[0, 3, 2, 1], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]];

fn triangles(squares: &[[u32; 4]]) -> Vec<[u32; 3]> {
    squares.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect()
}

fn obj(squares: &[[u32; 4]]) -> String {
    let mut text = "# a cube\nmtllib none.mtl\no cube\n".to_string();
    for [x, y, z] in CORNERS {
        writeln!(text, "v {x} {y} {z}").unwrap();
    }
    for [a, b, c, d] in squares {
        writeln!(text, "f {} {} {} {}", a + 1, b + 1, c + 1, d + 1).unwrap();
    }
    text
}

fn stl_text(squares: &[[u32; 4]]) -> String {
    let mut text = "solid cube\n".to_string();
    for triangle in triangles(squares) {
        text += "facet normal 0 0 0\nouter loop\n";
        for i in triangle {
            let [x, y, z] = CORNERS[i as usize];
            writeln!(text, "vertex {x} {y} {z}").unwrap();
        }
        text += "endloop\nendfacet\n";
    }
    text + "endsolid cube\n"
}

fn stl_binary(squares: &[[u32; 4]]) -> Vec<u8> {
    let triangles = triangles(squares);
    let mut bytes = vec![0; 80];
    bytes.extend((triangles.len() as u32).to_le_bytes());
    for triangle in triangles {
        bytes.extend([0; 12]);
        for coordinate in triangle.iter().flat_map(|&i| CORNERS[i as usize]) {
            bytes.extend(f32::from(coordinate).to_le_bytes());
        }
        bytes.extend([0; 2]);
    }
    bytes
}

fn ply(squares: &[[u32; 4]]) -> String {
    let mut text = format!(
        "ply\nformat ascii 1.0\nelement vertex 8\nproperty float x\nproperty float y\n\
         property float z\nelement face {}\nproperty list uchar int vertex_indices\nend_header\n",
        squares.len()
    );
    for [x, y, z] in CORNERS {
        writeln!(text, "{x} {y} {z}").unwrap();
    }
    for [a, b, c, d] in squares {
        writeln!(text, "4 {a} {b} {c} {d}").unwrap();
    }
    text
}

/// Writes a file and loads it.
fn load(name: &str, bytes: impl AsRef<[u8]>) -> Result<TriangleMesh, MeshProblem> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    load_mesh(&path).map_err(|error| {
        assert!(error.to_string().contains(name), "{error} names the file");
        error.problem
    })
}

#[test]
fn every_format_gives_the_same_cube() {
    let cubes = [
        load("cube.obj", obj(&SQUARES)),
        load("cube.STL", stl_text(&SQUARES)),
        load("cube.stl", stl_binary(&SQUARES)),
        load("cube.ply", ply(&SQUARES)),
    ];
    for cube in cubes {
        let cube = cube.unwrap_or_else(|e| panic!("{e}"));
        assert_eq!((cube.vertices.len(), cube.triangles.len()), (8, 12));
        assert!((cube.volume() - 1.0).abs() < 1e-12);
    }
}

#[test]
fn surfaces_that_are_not_closed_are_found() {
    let defect = |loaded: Result<TriangleMesh, _>| loaded.unwrap().check_closed().unwrap_err();
    let open = defect(load("a.obj", obj(&SQUARES[..5])));
    assert_eq!(open, MeshError::OpenEdges { count: 4 });
    let mut turned = SQUARES;
    turned[2].reverse();
    assert_eq!(defect(load("a.ply", ply(&turned))), MeshError::Orientation { count: 4 });
    let inside_out = SQUARES.map(|[a, b, c, d]| [d, c, b, a]);
    let inside_out = defect(load("a.stl", stl_binary(&inside_out)));
    assert!(matches!(inside_out, MeshError::InsideOut { .. }), "{inside_out:?}");
    let twice = defect(load("a.obj", obj(&[SQUARES, SQUARES].concat())));
    assert!(matches!(twice, MeshError::NonManifold { .. }), "{twice:?}");
}

#[test]
fn the_hare_is_a_closed_mesh_of_one_metre() {
    let hare = load_mesh(Path::new("builtin:hare")).unwrap();
    hare.check_closed().unwrap();
    let size = hare.bounds().size();
    assert!((size.y - 1.0).abs() < 1e-6 && size.x < 1.0, "{size}");
    let unknown = load_mesh(Path::new("builtin:fox")).unwrap_err().to_string();
    assert!(unknown.contains("allowed: hare"), "{unknown}");
}

#[test]
fn bad_files_are_refused() {
    let empty = load("a.obj", "v 0 0 0\n");
    assert!(matches!(empty, Err(MeshProblem::Defect(MeshError::Empty))), "{empty:?}");
    let none = load("a.ply", "");
    assert!(matches!(none, Err(MeshProblem::Format { .. })), "{none:?}");
    let index = load("a.ply", ply(&SQUARES).replace("4 3 0 4 7", "4 3 0 4 99"));
    assert!(matches!(index, Err(MeshProblem::BadIndex { vertex: 99, count: 8, .. })), "{index:?}");
    let negative = load("a.ply", ply(&SQUARES).replace("4 3 0 4 7", "4 3 0 4 -1"));
    assert!(matches!(negative, Err(MeshProblem::BadIndex { vertex: -1, .. })), "{negative:?}");
    let index = load("a.obj", obj(&SQUARES).replace("f 4 1 5 8", "f 4 1 5 99"));
    assert!(matches!(index, Err(MeshProblem::Format { .. } | MeshProblem::BadIndex { .. })));
    let nan = load("a.obj", obj(&SQUARES).replace("v 1 1 1", "v 1 nan 1"));
    assert!(
        matches!(
            nan,
            Err(MeshProblem::Defect(MeshError::NotFinite { .. }) | MeshProblem::Format { .. })
        ),
        "{nan:?}"
    );
    let nan = load("a.ply", ply(&SQUARES).replace("1 1 1", "1 inf 1"));
    assert!(nan.is_err());
    let endless = ply(&SQUARES).replace("end_header", "element x 99999999999\nend_header");
    let endless = load("a.ply", endless.replace("ascii", "binary_little_endian"));
    assert!(matches!(endless, Err(MeshProblem::Format { .. })), "{endless:?}");
    let ending = load("a.fbx", "");
    assert!(matches!(ending, Err(MeshProblem::UnknownFormat(_))), "{ending:?}");
    let missing = load_mesh(&PathBuf::from("no-such-file.obj")).unwrap_err();
    assert!(matches!(missing.problem, MeshProblem::Read(_)), "{missing}");
}

#[test]
fn cut_binary_files_are_refused() {
    let bytes = stl_binary(&SQUARES);
    for length in 0..bytes.len() {
        assert!(load("a.stl", &bytes[..length]).is_err(), "{length} bytes");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn damaged_files_never_panic(
        at in any::<prop::sample::Index>(),
        bytes in prop::collection::vec(any::<u8>(), 0..8),
    ) {
        let files =
            [("a.obj", obj(&SQUARES).into_bytes()), ("a.stl", stl_text(&SQUARES).into_bytes()),
             ("b.stl", stl_binary(&SQUARES)), ("a.ply", ply(&SQUARES).into_bytes())];
        for (name, mut file) in files {
            let start = at.index(file.len());
            let end = (start + bytes.len()).min(file.len());
            file.splice(start..end, bytes.iter().copied());
            let _ = load(name, file);
        }
    }
}
