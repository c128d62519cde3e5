//! What computes: the processor or a graphics card.

use crate::common::{Folder, TANK};

/// Snow that falls on a floor: 512 particles, 4 frames.
const DROP: &str = r#"
title = "Drop"
end = 0.004

[space]
dimension = 3
gravity = [0.0, -9.81, 0.0]

[time]
step = 4e-5

[snow]
cell = 0.02

[[snow.material]]
name = "snow"
snow = { kind = "dry" }

[[fill]]
shape.box = { min = [0.0, 0.002, 0.0], max = [0.08, 0.082, 0.08] }
velocity = [0.2, -2.0, 0.0]

[[body]]
name = "floor"
shape.box = { min = [-0.2, -0.1, -0.2], max = [0.3, 0.0, 0.3] }

[output]
every = 0.001

[view]
size = [96, 64]
camera.eye = [0.3, 0.3, 0.6]
camera.target = [0.04, 0.04, 0.04]
"#;

#[test]
fn liquids_run_on_the_cpu_only() {
    let folder = Folder::new();
    folder.write("tank.toml", TANK);
    let call = folder.say("run tank.toml -q --out out --device gpu");
    call.fails(2, &["--device gpu supports scenes of snow", "leave --device out"]);
    assert!(!folder.path("out").exists());
    folder.say("run tank.toml -q --out out --end 0.01 --device auto").succeeds();
    assert_eq!(folder.run("out").summary().device, "cpu");
    let call = folder.say("bench dam-break --device gpu");
    call.fails(2, &["\"dam-break\" runs on the CPU only", "there is: snow"]);
    let call = folder.say("run tank.toml --device tpu");
    assert!(call.code == Some(2) && call.err.contains("cpu, gpu, auto"), "{}", call.err);
}

#[test]
fn devices_are_listed() {
    let call = Folder::new().say("devices").succeeds();
    assert!(call.out.starts_with("cpu  ") && call.out.contains("\ngpu  "), "{}", call.out);
}

#[cfg(not(feature = "gpu"))]
#[test]
fn a_program_without_gpus_says_how_to_get_one() {
    let folder = Folder::new();
    folder.write("drop.toml", DROP);
    let how = "cargo run --release --features gpu -- ";
    let call = folder.say("run drop.toml -q --out out --device gpu");
    call.fails(2, &["built without GPU support", how]);
    assert!(!folder.path("out").exists());
    folder.say("bench snow --device gpu").fails(2, &["built without GPU support", how]);
    let call = folder.say("study meyer-12 --quick --out study --device gpu");
    call.fails(2, &["built without GPU support", how]);
    assert!(!folder.path("study").exists());
    assert!(folder.say("devices").succeeds().out.contains(how));
}

/// Runs on any GPU, in CI on Mesa's software Vulkan; where there is none, the refusal is tested, unless
/// `LAWINE_NEED_GPU` asks for more.
#[cfg(feature = "gpu")]
#[test]
fn a_gpu_writes_the_same_files_and_checkpoints_go_both_ways() {
    let folder = Folder::new();
    folder.write("drop.toml", DROP);
    let first = folder.say("run drop.toml -q --out gpu --device gpu");
    if first.err.contains("no GPU was found") {
        assert!(std::env::var_os("LAWINE_NEED_GPU").is_none(), "{}", first.err);
        first.fails(1, &["run on the CPU"]);
        return;
    }
    first.succeeds();
    folder.say("run drop.toml -q --out cpu").succeeds();
    let (gpu, cpu) = (folder.run("gpu"), folder.run("cpu"));
    assert!(gpu.summary().device.starts_with("gpu: "), "{}", gpu.summary().device);
    assert_eq!(cpu.summary().device, "cpu");
    let names = |run: &crate::common::Run| {
        let mut names: Vec<_> = std::fs::read_dir(run.0.root())
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        names.sort();
        names
    };
    assert_eq!(names(&gpu), names(&cpu));
    assert!(gpu.0.movie().is_file() || gpu.0.movie_gif().is_file());
    assert_eq!(gpu.0.saved_pictures().unwrap(), cpu.0.saved_pictures().unwrap());
    let energy = |run: &crate::common::Run| run.last("kinetic_energy");
    assert!((energy(&gpu) / energy(&cpu) - 1.0).abs() < 1e-4);
    let force = |run: &crate::common::Run| run.last("floor.force.y");
    assert!((force(&gpu) / force(&cpu) - 1.0).abs() < 0.01, "{} {}", force(&gpu), force(&cpu));
    // The CPU goes on where the GPU stopped, and the other way round.
    folder.say("run --resume gpu -q --end 0.006").succeeds();
    folder.say("run --resume cpu -q --end 0.006 --device gpu").succeeds();
    let (gpu, cpu) = (folder.run("gpu"), folder.run("cpu"));
    assert_eq!(gpu.summary().device, "cpu");
    assert!(cpu.summary().device.starts_with("gpu: "));
    assert!((energy(&gpu) / energy(&cpu) - 1.0).abs() < 1e-4);
    // What only the CPU can do.
    let call =
        folder.say("run drop.toml -q --out no --device gpu --set snow.integrator=semi-implicit");
    call.fails(1, &["the semi-implicit step is not supported on the GPU", "run on the CPU"]);
    assert!(!folder.path("no").exists());
}
