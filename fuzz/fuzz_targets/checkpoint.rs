//! Any bytes are a checkpoint or an error. No fuzzer guesses a checksum, so the bytes are read as
//! they are and once more as the content of a file whose head and checksums are right.
#![no_main]

use lawine_record::output::checkpoint::{CheckpointProblem, VERSION, parse};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = read(bytes);
    if let Some((count, sections)) = bytes.split_first() {
        let file = seal(u32::from(*count), sections);
        // What is sealed is never truncated and its checksums are right.
        assert!(matches!(read(&file), Ok(_) | Err(CheckpointProblem::Malformed(_))));
    }
});

/// The number of sections.
fn read(bytes: &[u8]) -> Result<usize, CheckpointProblem> {
    let sections = parse(bytes)?;
    for (i, section) in sections.iter().enumerate() {
        assert!(sections[..i].iter().all(|other| other.name != section.name));
    }
    let content: usize = sections.iter().map(|s| 10 + s.name.len() + s.payload.len()).sum();
    assert_eq!(content + 32, bytes.len());
    Ok(sections.len())
}

/// A file with a right head and right checksums.
fn seal(count: u32, sections: &[u8]) -> Vec<u8> {
    let mut file = b"\x89LAWINE\n".to_vec();
    file.extend(VERSION.to_le_bytes());
    file.extend(count.to_le_bytes());
    file.extend((sections.len() as u64 + 32).to_le_bytes());
    file.extend(crc32fast::hash(&file).to_le_bytes());
    file.extend(sections);
    file.extend(crc32fast::hash(&file).to_le_bytes());
    file
}
