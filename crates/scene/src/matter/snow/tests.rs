use crate::build::build;
use crate::file::{Source, load};
use crate::select::Selection;
use lawine_core::field::TensorField;
use lawine_solvers::mpm::settings::Law;

/// A block of snow on the ground, with lines on the time step and more at the end.
fn block(time: &str, more: &str) -> String {
    format!(
        "title = 'Test'\nend = 1\n[space]\ndimension = 2\ngravity = [0, -10]\n\
         domain = {{ min = [-1, -1], max = [1, 1] }}\n[time]\n{time}\n[snow]\ncell = 0.05\n\
         [[snow.material]]\nname = 'snow'\nsnow = {{ lumps = 0.1, bonds = 'wet' }}\n\
         [[snow.material]]\nname = 'wet'\nsnow = {{ kind = 'wet' }}\n\
         [[fill]]\nshape.box = {{ min = [0, 0], max = [0.3, 0.2] }}\nmaterial = 'snow'\n{more}"
    )
}

fn problem(text: &str) -> String {
    let source = Source::Text { name: "test".into(), text: text.into() };
    let loaded = load(&source, &[]).and_then(|loaded| build(&loaded));
    loaded.err().map(|e| e.to_string()).unwrap_or_default()
}

#[test]
fn what_cannot_run_is_refused_before_it_runs() {
    let message = problem(&block("step = 0.01", ""));
    assert!(message.contains("time.step = 0.01 is not allowed; allowed: at most"), "{message}");
    assert!(message.contains("elastic waves"), "{message}");
    assert_eq!(problem(&block("step = 1e-4", "")), "");
    let tomb = "[[body]]\nname = 'tomb'\nshape.box = { min = [-0.5, -0.5], max = [0.5, 0.5] }";
    let message = problem(&block("", tomb));
    assert!(message.contains("tomb"), "{message}");
    let vast = "[[body]]\nname = 'vast'\nshape.box = { min = [-1e6, -1e6], max = [1e6, -0.1] }";
    assert_eq!(problem(&block("", vast)), "", "bodies need no particles of their own");
    let far = block("", "").replace("max = [0.3, 0.2]", "max = [1.3, 0.2]");
    assert!(problem(&far).contains("fill"), "{}", problem(&far));
}

#[test]
fn frames_have_stretch_stress_and_what_snow_is_mixed_of() {
    let source = Source::Text { name: "test".into(), text: block("", "") };
    let mut simulation = build(&load(&source, &[]).unwrap()).unwrap().simulation;
    simulation.advance_to(0.01, &mut []).unwrap();
    let method = &simulation.methods[0];
    let tensors = method.tensors();
    let mut fields = method.fields();
    fields.extend(tensors.iter().map(TensorField::view));
    for name in ["elastic_stretch.yy", "stress.xy", "plastic_volume", "density"] {
        let found = Selection::new(&fields, name).unwrap();
        assert_eq!(found.iter().count(), method.particle_count());
    }
    let stretch = Selection::new(&fields, "elastic_stretch.xx").unwrap();
    assert!(stretch.iter().all(|s| (s - 1.0).abs() < 0.03));
    // Lumps, wet bonds between them, and water in the bonds.
    let material = Selection::new(&fields, "material").unwrap();
    for number in [0.0, 1.0, 2.0] {
        let count = material.iter().filter(|m| (m - number).abs() < 0.5).count();
        assert!(count > 2, "{count} particles of material {number}");
    }
}

#[test]
fn classes_of_snow_have_density_and_sigrists_elasticity_in_the_built_scene() {
    let law = |snow: &str| {
        let text = block("", "").replace("snow = { kind = 'wet' }", &format!("snow = {snow}"));
        let source = Source::Text { name: "test".into(), text };
        let built = build(&load(&source, &[]).unwrap()).unwrap();
        let Law::Snow(law) = super::materials(&built.scene)[1].law.clone() else {
            panic!("not snow")
        };
        law
    };
    // Sigrist's E = 1.89 ρ^2.94 Pa and ν = 0.2 + 5e−4 (ρ − 300), here in the middle of each class.
    let classes = [
        ("new", 100.0),
        ("powder", 150.0),
        ("granular", 300.0),
        ("settled", 475.0),
        ("firn", 675.0),
        ("glacier", 800.0),
    ];
    for (class, density) in classes {
        let law = law(&format!("{{ class = '{class}' }}"));
        assert_eq!(law.density, Some(density), "{class}");
        let (young, poisson) = (law.young.unwrap(), law.poisson.unwrap());
        assert!((young / (1.89 * density.powf(2.94)) - 1.0).abs() < 1e-12, "{class}: {young}");
        assert!((poisson - (0.2 + 5e-4 * (density - 300.0)).min(0.45)).abs() < 1e-12, "{class}");
    }
    // What is given stays, and so does the kind's elasticity where it is asked for.
    let firn = law("{ class = 'firn', density = 600, poisson = 0.3 }");
    assert_eq!((firn.density, firn.poisson), (Some(600.0), Some(0.3)));
    assert!(firn.young.unwrap() > 1e8);
    let soft = law("{ class = 'firn', elasticity = 'kind' }");
    assert_eq!((soft.density, soft.young, soft.poisson), (Some(675.0), Some(1.4e5), Some(0.2)));
    // Without a class the numbers of the kind are written down, too.
    let icy = law("{ kind = 'icy' }");
    assert_eq!((icy.density, icy.young, icy.hardening), (Some(500.0), Some(2e6), Some(30.0)));
}
