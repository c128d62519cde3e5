//! Any bytes are a mesh or an error, in each of the three formats. The first byte chooses
//! the format, the file follows.
#![no_main]

use lawine_scene::mesh::parse_mesh;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some((format, file)) = bytes.split_first() else { return };
    let ending = match format {
        b'o' => "obj",
        b's' => "stl",
        _ => "ply",
    };
    match parse_mesh(ending, file) {
        Ok(mesh) => {
            let count = mesh.vertices.len();
            assert!(mesh.triangles.iter().flatten().all(|&vertex| (vertex as usize) < count));
        }
        Err(problem) => assert!(!problem.to_string().is_empty()),
    }
});
