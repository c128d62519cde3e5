use std::fs;

use proptest::prelude::*;

use super::*;

const SECTIONS: [Section<'static>; 3] = [
    Section { name: "meta", payload: b"step 12" },
    Section { name: "fluid", payload: &[0, 1, 2, 3, 255, 254] },
    Section { name: "empty", payload: &[] },
];

fn encoded(sections: &[Section<'_>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    encode(sections, &mut bytes).unwrap();
    bytes
}

/// Gives changed bytes a valid checksum again, to test the code behind it.
fn resealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let head = crc32fast::hash(&bytes[..24]);
    bytes[24..28].copy_from_slice(&head.to_le_bytes());
    let end = bytes.len() - CHECKSUM;
    let all = crc32fast::hash(&bytes[..end]);
    bytes[end..].copy_from_slice(&all.to_le_bytes());
    bytes
}

#[test]
fn sections_come_back() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.lawine");
    write_atomic(&path, &SECTIONS).unwrap();
    let checkpoint = read(&path).unwrap();
    assert_eq!(checkpoint.sections().collect::<Vec<_>>(), SECTIONS);
    assert_eq!(checkpoint.section("fluid"), Some(SECTIONS[1].payload));
    assert_eq!(checkpoint.section("grains"), None);
    let message = checkpoint.require("grains").unwrap_err().to_string();
    assert!(message.contains("`grains`") && message.contains("meta, fluid, empty"), "{message}");
}

#[test]
fn each_problem_has_its_own_error() {
    let good = encoded(&SECTIONS);
    assert_eq!(parse(b"scene = 1 and more"), Err(CheckpointProblem::NotACheckpoint));
    for cut in [0, 5, 8, 27, 28, good.len() - 1] {
        let result = parse(&good[..cut]);
        assert!(matches!(result, Err(CheckpointProblem::Truncated { .. })), "{cut}: {result:?}");
    }
    let mut newer = good.clone();
    newer[8] = 7;
    assert!(matches!(parse(&newer), Err(CheckpointProblem::Checksum { .. })));
    assert_eq!(parse(&resealed(newer)), Err(CheckpointProblem::NewerVersion { found: 7 }));
    let mut flipped = good.clone();
    flipped[40] ^= 1;
    assert!(matches!(parse(&flipped), Err(CheckpointProblem::Checksum { .. })));
    let mut longer = good;
    longer.push(0);
    assert!(matches!(parse(&longer), Err(CheckpointProblem::Malformed(_))));
}

#[test]
fn false_lengths_are_refused_before_they_are_believed() {
    let good = encoded(&SECTIONS);
    // Head (28), name length (2), "meta" (4): the payload length is at 34.
    for (at, value) in [(34, u64::MAX), (34, 1 << 60), (34, 8)] {
        let mut bytes = good.clone();
        bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
        let bytes = resealed(bytes);
        let result = parse(&bytes);
        assert!(matches!(result, Err(CheckpointProblem::Malformed(_))), "{value}: {result:?}");
    }
    for count in [u32::MAX, 4, 2] {
        let mut bytes = good.clone();
        bytes[12..16].copy_from_slice(&count.to_le_bytes());
        let bytes = resealed(bytes);
        let result = parse(&bytes);
        assert!(matches!(result, Err(CheckpointProblem::Malformed(_))), "{count}: {result:?}");
    }
    let mut length = good.clone();
    length[16..24].copy_from_slice(&0_u64.to_le_bytes());
    assert!(parse(&resealed(length)).is_err());
}

#[test]
fn what_cannot_be_opened_or_written_names_the_path() {
    let dir = tempfile::tempdir().unwrap();
    let missing = dir.path().join("none.lawine");
    let error = read(&missing).unwrap_err();
    assert!(matches!(error, CheckpointError::Open { .. }));
    assert!(error.to_string().contains("none.lawine"));
    assert!(matches!(read(dir.path()), Err(CheckpointError::Open { .. })));
    let twice = [SECTIONS[0], SECTIONS[0]];
    let error = write_atomic(&missing, &twice).unwrap_err();
    assert!(error.to_string().contains("`meta`"), "{error}");
    assert!(!missing.exists());
}

#[test]
fn the_store_keeps_the_newest() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("step-notes.txt"), "mine").unwrap();
    let store = CheckpointStore::new(dir.path());
    assert!(matches!(store.latest(), Err(CheckpointError::NoneFound { .. })));
    for step in [5, 123_456, 7_000_000_000_000] {
        store.write(step, &SECTIONS).unwrap();
    }
    let steps: Vec<u64> = store.list().unwrap().iter().map(|s| s.step).collect();
    assert_eq!(steps, [7_000_000_000_000, 123_456]);
    assert!(dir.path().join("step-000000123456.lawine").exists());
    assert!(dir.path().join("step-notes.txt").exists());
    assert_eq!(store.latest().unwrap().0.step, 7_000_000_000_000);
    store.discard_after(123_456).unwrap();
    assert_eq!(store.latest().unwrap().0.step, 123_456);
}

#[test]
fn an_earlier_step_does_not_fall_to_later_ones() {
    let dir = tempfile::tempdir().unwrap();
    let store = CheckpointStore::new(dir.path()).keeping(1);
    store.write(20, &SECTIONS).unwrap();
    let path = store.write(10, &SECTIONS).unwrap();
    assert!(path.exists() && store.path_of(20).exists());
}

#[test]
fn a_damaged_newest_offers_the_one_before() {
    let dir = tempfile::tempdir().unwrap();
    let store = CheckpointStore::new(dir.path()).keeping(3);
    for step in [1, 2, 3] {
        store.write(step, &SECTIONS).unwrap();
    }
    let damage = |step| {
        let mut bytes = fs::read(store.path_of(step)).unwrap();
        bytes[45] ^= 4;
        fs::write(store.path_of(step), bytes).unwrap();
    };
    damage(3);
    damage(2);
    let message = store.latest().unwrap_err().to_string();
    let offer = format!("resume from it with: --resume {}", store.path_of(1).display());
    assert!(message.contains("step-000000000003.lawine: it is damaged"), "{message}");
    assert!(message.contains(&offer), "{message}");
    damage(1);
    let message = store.latest().unwrap_err().to_string();
    assert!(message.contains("no older intact checkpoint"), "{message}");
}

proptest! {
    #[test]
    fn random_bytes_never_pass(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(parse(&bytes).is_err());
        let mut with_magic = MAGIC.to_vec();
        with_magic.extend_from_slice(&bytes);
        prop_assert!(parse(&with_magic).is_err());
    }

    /// CRC-32 recognises every change of up to three bits in files as short as these.
    #[test]
    fn flipped_bits_never_pass(
        payload in proptest::collection::vec(any::<u8>(), 0..300),
        flips in proptest::collection::btree_set(any::<u32>(), 1..4),
    ) {
        let good = encoded(&[Section { name: "a", payload: &payload }]);
        prop_assert!(parse(&good).is_ok());
        let mut bytes = good.clone();
        for flip in flips {
            let bit = flip as usize % (8 * bytes.len());
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
        prop_assert!(bytes == good || parse(&bytes).is_err());
    }

    /// Behind a right checksum any content is either refused or read within its bounds.
    #[test]
    fn resealed_nonsense_never_panics(
        body in proptest::collection::vec(any::<u8>(), 4..200),
        count in 0_u32..6,
    ) {
        let mut bytes = encoded(&[]);
        bytes.truncate(HEAD);
        bytes.extend_from_slice(&body);
        bytes[12..16].copy_from_slice(&count.to_le_bytes());
        let length = bytes.len() as u64;
        bytes[16..24].copy_from_slice(&length.to_le_bytes());
        if let Ok(sections) = parse(&resealed(bytes)) {
            let total: usize = sections.iter().map(|s| s.name.len() + s.payload.len()).sum();
            prop_assert!(total <= body.len());
        }
    }
}
