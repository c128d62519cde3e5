use super::*;

#[test]
fn a_new_directory_gets_its_folders() {
    let dir = tempfile::tempdir().unwrap();
    let run = RunDirectory::create(dir.path().join("a/b")).unwrap();
    for folder in FOLDERS {
        let entries = fs::read_dir(run.root().join(folder)).unwrap().count();
        assert_eq!(entries, 0, "{folder}");
    }
    // Nothing was written yet, so another attempt is welcome.
    RunDirectory::create(run.root()).unwrap();
}

#[test]
fn a_used_directory_is_refused_with_advice() {
    let dir = tempfile::tempdir().unwrap();
    let run = RunDirectory::create(dir.path().join("run")).unwrap();
    fs::write(run.picture(3), "png").unwrap();
    let message = RunDirectory::create(run.root()).unwrap_err().to_string();
    assert!(message.contains("already contains a run (pictures)"), "{message}");
    assert!(message.contains("--out") && message.contains("--resume"), "{message}");

    let home = dir.path().join("home");
    fs::create_dir(&home).unwrap();
    fs::write(home.join("thesis.tex"), "x").unwrap();
    let error = RunDirectory::create(&home).unwrap_err();
    assert!(matches!(error, DirectoryError::NotEmpty { .. }));
    assert!(error.to_string().contains("thesis.tex"), "{error}");
    assert!(!home.join(FRAMES).exists());

    let file = home.join("thesis.tex");
    assert!(matches!(RunDirectory::create(&file), Err(DirectoryError::IsAFile { .. })));
    let below = file.join("run");
    assert!(matches!(RunDirectory::create(&below), Err(DirectoryError::NotWritable { .. })));
}

#[test]
fn only_a_run_can_be_opened() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("run");
    assert!(matches!(RunDirectory::open(&root), Err(DirectoryError::NotARun { .. })));
    let run = RunDirectory::create(&root).unwrap();
    let message = RunDirectory::open(&root).unwrap_err().to_string();
    assert!(message.contains("scene.toml"), "{message}");
    fs::write(run.scene(), "").unwrap();
    assert_eq!(RunDirectory::open(&root).unwrap(), run);
    assert!(RunDirectory::open(run.scene()).is_err());

    let checkpoint = run.checkpoints().path_of(12);
    assert_eq!(RunDirectory::of_checkpoint(&checkpoint).unwrap(), run);
    assert!(RunDirectory::of_checkpoint(Path::new("step-000000000012.lawine")).is_err());
}

#[test]
fn pruning_removes_later_frames_only() {
    let dir = tempfile::tempdir().unwrap();
    let run = RunDirectory::create(dir.path().join("run")).unwrap();
    for index in [0, 1, 2, 1_000_000] {
        for path in [run.particles("snow", index), run.bodies(index), run.picture(index)] {
            fs::write(path, "x").unwrap();
        }
    }
    fs::write(run.pictures().join("picture-mine.png"), "x").unwrap();
    fs::write(run.frames().join(".snow-000003.vtp.7-0.lawine-tmp"), "x").unwrap();
    run.prune_frames_after(Some(1)).unwrap();
    assert_eq!(run.saved_frames().unwrap(), [0, 1]);
    assert_eq!(run.saved_pictures().unwrap(), [0, 1]);
    assert!(!run.bodies(2).exists() && run.bodies(1).exists());
    assert!(run.pictures().join("picture-mine.png").exists());
    assert_eq!(fs::read_dir(run.frames()).unwrap().count(), 4);
    run.prune_frames_after(None).unwrap();
    assert_eq!(run.saved_frames().unwrap(), Vec::<u64>::new());
}
