//! Any bytes are a column or an error; a column that is written again gives the bytes read.
#![no_main]

use glam::DVec3;
use lawine_core::columns::{Column, read, read_one, write};
use libfuzzer_sys::fuzz_target;

const NAME: &str = "x";

fuzz_target!(|bytes: &[u8]| {
    round_trip::<u32>(bytes);
    round_trip::<u64>(bytes);
    round_trip::<f32>(bytes);
    round_trip::<f64>(bytes);
    round_trip::<DVec3>(bytes);
});

fn round_trip<T: Column>(bytes: &[u8]) {
    let one = read_one::<T>(&mut &bytes[..], NAME);
    let mut rest = bytes;
    let Ok(values) = read::<T>(&mut rest, NAME) else {
        assert!(one.is_err());
        return;
    };
    assert_eq!(one.is_ok(), values.len() == 1);
    let mut written = Vec::new();
    write(&mut written, NAME, &values).expect("a vector takes any bytes");
    assert_eq!(written, bytes[..bytes.len() - rest.len()]);
}
