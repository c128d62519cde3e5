//! Any bytes are a frame of particles or an error; all fields of a frame have the same length.
#![no_main]

use lawine_record::output::vtk::{FrameValues, parse_particles};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    match parse_particles(bytes) {
        Ok(frame) => {
            for field in &frame.fields {
                let length = match &field.values {
                    FrameValues::U32(values) => values.len(),
                    FrameValues::F32(values) => values.len(),
                    FrameValues::Vec3(values) => values.len(),
                    FrameValues::Quat(values) => values.len(),
                    FrameValues::Symmetric(values) => values.len(),
                };
                assert_eq!(length, frame.len());
                assert!(frame.field(&field.name).is_some());
            }
        }
        Err(problem) => assert!(!problem.to_string().is_empty()),
    }
});
