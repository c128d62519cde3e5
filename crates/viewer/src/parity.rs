//! A self-test of the graphics device: the same snow there and on the processor.

use crate::compute::Compute;
use crate::engine::Engine;
use crate::messages::{Command, Notice};
use crate::session::Session;
use glam::DVec3;
use lawine_core::field;
use lawine_core::{Field, FieldValues};
use lawine_scene::file::Source;
use lawine_solvers::sph::selftest::Check;

/// Its name among the self-tests.
pub const NAME: &str = "snow on the graphics device";

/// Steps that both make.
const STEPS: usize = 100;
/// How far a particle may be from its twin in the end [cells].
const NEAR: f64 = 1e-3;
/// Edge of a cell [m].
const CELL: f64 = 0.05;
/// Wall time of a turn on the processor [s].
const TURN: f64 = 0.03;

/// A block of snow hits a floor and a ball.
const SCENE: &str = "title = 'Twins'\nend = 1\n[space]\ndimension = 3\ngravity = [0, -9.81, 0]\n\
    domain = { min = [-1, -1, -1], max = [2, 2, 2] }\n\
    [time]\nstep = 2.5e-4\n[snow]\ncell = 0.05\nfriction = 0.3\n\
    [[snow.material]]\nname = 'snow'\nsnow = { kind = 'dry' }\n\
    [[fill]]\nshape.box = { min = [0.01, 0.02, 0.01], max = [0.26, 0.27, 0.26] }\n\
    velocity = [1, -4, 0.5]\n\
    [[body]]\nname = 'floor'\nshape.plane = { point = [0, 0, 0], normal = [0, 1, 0] }\n\
    [[body]]\nname = 'ball'\nshape.sphere = { center = [0.34, 0.1, 0.2], radius = 0.07 }\n";

/// The same snow on both, on its way.
pub struct Parity {
    cpu: Engine,
    gpu: Engine,
    /// Whether the particles were asked for, in the end.
    asked: bool,
}

impl Parity {
    /// Begins the comparison.
    pub fn new(compute: &Compute) -> Self {
        let [cpu, gpu] = [Compute::default(), compute.clone()].map(|compute| {
            let mut engine = Engine::new();
            engine.execute(Command::Pause(true));
            engine.execute(Command::Compute(Box::new(compute)));
            engine
                .execute(Command::Open(Source::Text { name: "twins".into(), text: SCENE.into() }));
            (0..STEPS).for_each(|_| engine.execute(Command::Step));
            engine
        });
        Self { cpu, gpu, asked: false }
    }

    /// Continues for a while; returns the outcome when finished.
    pub fn turn(&mut self) -> Option<Check> {
        let due = [&mut self.cpu, &mut self.gpu].map(|engine| engine.turn(TURN));
        let mut problems =
            [&mut self.cpu, &mut self.gpu].map(Engine::take_news).into_iter().flatten();
        let problem = problems.find_map(|notices| match notices {
            // Also that it is on the processor after all.
            Notice::Note(text) | Notice::Problem(text) | Notice::Stopped(text) => Some(text),
            _ => None,
        });
        if let Some(detail) = problem {
            return Some(Check { name: NAME, passed: false, detail });
        }
        if !self.gpu.session().is_some_and(Session::is_on_gpu) {
            let detail = "it is not computed on the device".to_owned();
            return Some(Check { name: NAME, passed: false, detail });
        }
        if due.contains(&true) {
            return None;
        }
        if !std::mem::replace(&mut self.asked, true) {
            self.gpu.execute(Command::Save);
            return None;
        }
        let distance = self.distance();
        Some(Check {
            name: NAME,
            passed: distance.is_some_and(|cells| cells < NEAR),
            detail: distance.map_or_else(
                || "its particles differ from those on the processor".to_owned(),
                |cells| format!("positions within {cells:.1e} cells after {STEPS} steps"),
            ),
        })
    }

    /// The largest distance of a particle from its twin [cells].
    fn distance(&self) -> Option<f64> {
        let [cpu, gpu] = [&self.cpu, &self.gpu].map(|engine| {
            let session = engine.session()?;
            (session.simulation().steps() == STEPS as u64).then(|| by_id(&session.fields()))?
        });
        let (cpu, gpu) = (cpu?, gpu?);
        let same = cpu.iter().map(|p| p.0).eq(gpu.iter().map(|p| p.0));
        let fine = !cpu.is_empty() && gpu.iter().all(|p| p.1.is_finite());
        let apart = cpu.iter().zip(&gpu).map(|(a, b)| (a.1 - b.1).length() / CELL);
        (same && fine).then(|| apart.fold(0.0, f64::max))
    }
}

/// Identifiers and positions [m], in order.
fn by_id(fields: &[Field<'_>]) -> Option<Vec<(u32, DVec3)>> {
    let ids = fields.iter().find_map(|field| match (field.name, &field.values) {
        ("id", FieldValues::U32(ids)) => Some(*ids),
        _ => None,
    })?;
    let positions = field::positions(fields)?;
    let mut all: Vec<_> = ids.iter().copied().zip(positions.iter().copied()).collect();
    all.sort_by_key(|p| p.0);
    Some(all)
}
