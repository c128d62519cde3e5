//! Hunkler's program as it is printed: Algorithms 1 to 9, in plain loops, over his breaking dam and his dam
//! with a leak (chapters 4 and 5). It is compared with his tables and with the solver of this project.

use super::{Default, Experiment, Measured, Number, Parameter, Settings, thread_time};
use glam::DVec2;
use std::f64::consts::PI;

pub(super) struct Hunkler;

impl Experiment for Hunkler {
    fn name(&self) -> &'static str {
        "hunkler"
    }

    fn about(&self) -> &'static str {
        "IISPH exactly as in the algorithms of Hunkler (2022): iterations and time of his dams"
    }

    fn parameters(&self) -> &'static [Parameter] {
        &[
            Parameter {
                name: "scene",
                default: Default::Word(&["dam", "leak"]),
                help: "1251 particles for 50 s, or 7199 for 20 s",
            },
            Parameter { name: "time_step", default: Default::Number(0.04), help: "[s]" },
            Parameter { name: "end", default: Default::Number(50.0), help: "[s]" },
            Parameter {
                name: "tolerance",
                default: Default::Number(1e-3),
                help: "mean density error",
            },
            Parameter {
                name: "last_update",
                default: Default::Word(&["kept", "dropped"]),
                help: "whether the pressure update after the last error evaluation is applied, as in Algorithm 6",
            },
        ]
    }

    fn numbers(&self) -> &'static [Number] {
        &[
            Number { name: "particles", help: "of liquid and walls" },
            Number { name: "iterations", help: "of a step, mean" },
            Number { name: "pressure", help: "time for the pressure [s]" },
            Number { name: "step", help: "time for the steps [s]" },
            Number { name: "speed", help: "largest speed" },
        ]
    }

    fn run(&self, settings: &Settings) -> Result<Measured, String> {
        let mut dam = Dam::new(settings.word("scene") == "leak");
        let (dt, tolerance) = (settings.number("time_step"), settings.number("tolerance"));
        let keeps = settings.word("last_update") == "kept";
        let steps = (settings.number("end") / dt).round() as usize;
        let (mut iterations, mut pressure, mut speed) = (0, 0.0, 0.0_f64);
        let start = thread_time();
        for step in 0..steps {
            dam.find_neighbors();
            dam.predict(dt);
            let before = thread_time();
            iterations += dam.solve(dt, tolerance, keeps);
            pressure += thread_time() - before;
            dam.advance(dt);
            let fastest = dam.v.iter().map(|v| v.length()).fold(0.0, f64::max);
            if fastest > 1e4 || dam.v.iter().any(|v| !v.is_finite()) {
                return Err(format!("unstable in step {step}"));
            }
            speed = speed.max(fastest);
        }
        let mean = iterations as f64 / steps as f64;
        let numbers = vec![dam.x.len() as f64, mean, pressure, thread_time() - start, speed];
        Ok(Measured { numbers, rows: Vec::new() })
    }
}

const GRAVITY: DVec2 = DVec2::new(0.0, -9.81);
const VISCOSITY: f64 = 200.0;
const RELAXATION: f64 = 0.5;
const RHO_0: f64 = 1.0;

/// The liquid comes first, the particles of the walls after it.
struct Dam {
    /// Particle size.
    h: f64,
    mass: f64,
    x: Vec<DVec2>,
    v: Vec<DVec2>,
    rho: Vec<f64>,
    p: Vec<f64>,
    /// Pressure accelerations.
    a: Vec<DVec2>,
    /// Neighbours with the gradients of the kernel.
    near: Vec<Vec<(usize, DVec2)>>,
}

impl Dam {
    /// Particles lie on the multiples of h of the window, walls three layers inside it.
    fn new(leaks: bool) -> Self {
        let (h, rows, depth) = if leaks { (4.0, 301, 200) } else { (8.0, 76, 30) };
        let (columns, width, layers) = (51, 22, 3);
        // Where the hole of 12 rows is, is fitted to Table 5.3: at 480 of 1200.
        let (dam, hole) = (layers + width..layers + width + 3, 120..132);
        let is_wall = |i: usize, j: usize| {
            let outer = j < layers || i < layers || i >= columns - layers;
            outer || (leaks && dam.contains(&i) && !hole.contains(&j))
        };
        let is_liquid = |i: usize, j: usize| {
            (layers..layers + width).contains(&i) && (layers..layers + depth).contains(&j)
        };
        let places = || (0..columns).flat_map(move |i| (0..rows).map(move |j| (i, j)));
        let at = |(i, j): (usize, usize)| h * DVec2::new(i as f64, j as f64);
        let mut x: Vec<DVec2> = places().filter(|&(i, j)| is_liquid(i, j)).map(at).collect();
        let liquid = x.len();
        x.extend(places().filter(|&(i, j)| is_wall(i, j)).map(at));
        let offsets = || (-2..=2).map(f64::from);
        let sum: f64 = offsets().flat_map(|i| offsets().map(move |j| kernel(i.hypot(j), h))).sum();
        Self {
            h,
            mass: RHO_0 / sum,
            x,
            v: vec![DVec2::ZERO; liquid],
            rho: vec![RHO_0; liquid],
            p: vec![0.0; liquid],
            a: vec![DVec2::ZERO; liquid],
            near: vec![Vec::new(); liquid],
        }
    }

    fn liquid(&self) -> usize {
        self.v.len()
    }

    /// Algorithms 3, 4 and 5: cells of the size of the support, neighbours and densities.
    fn find_neighbors(&mut self) {
        let (size, h) = (2.0 * self.h, self.h);
        let columns = 64;
        let cell = |x: DVec2| {
            let [i, j] = (x / size).to_array().map(|k| (k.floor() + 8.0).max(0.0) as usize);
            j * columns + i.min(columns - 1)
        };
        let mut cells: Vec<Vec<usize>> = Vec::new();
        for (j, &x) in self.x.iter().enumerate() {
            let k = cell(x);
            if k >= cells.len() {
                cells.resize(k + 1, Vec::new());
            }
            cells[k].push(j);
        }
        for i in 0..self.liquid() {
            self.near[i].clear();
            let (middle, mut sum) = (cell(self.x[i]), 0.0);
            for row in [middle.wrapping_sub(columns), middle, middle + columns] {
                for k in [row.wrapping_sub(1), row, row.wrapping_add(1)] {
                    for &j in cells.get(k).into_iter().flatten() {
                        let r = self.x[i] - self.x[j];
                        if r.length() < size {
                            sum += kernel(r.length() / h, h);
                            self.near[i].push((j, gradient(r, h)));
                        }
                    }
                }
            }
            self.rho[i] = self.mass * sum;
        }
    }

    /// Algorithm 8, and the velocities without pressure.
    fn predict(&mut self, dt: f64) {
        let viscous = |i: usize| -> DVec2 {
            let term = |&(j, gradient): &(usize, DVec2)| {
                let r = self.x[i] - self.x[j];
                let (v_j, rho) =
                    self.v.get(j).map_or((DVec2::ZERO, self.rho[i]), |&v| (v, self.rho[j]));
                let along = (self.v[i] - v_j).dot(r);
                along / (rho * (r.length_squared() + 0.01 * self.h * self.h)) * gradient
            };
            2.0 * VISCOSITY * self.mass * self.near[i].iter().map(term).sum::<DVec2>()
        };
        let change: Vec<DVec2> = (0..self.liquid()).map(|i| dt * (GRAVITY + viscous(i))).collect();
        self.v.iter_mut().zip(change).for_each(|(v, change)| *v += change);
    }

    /// Algorithm 6; returns the iterations.
    fn solve(&mut self, dt: f64, tolerance: f64, keeps: bool) -> usize {
        let n = self.liquid();
        // (4.13)
        let diagonal = |i: usize| -> f64 {
            let sum: DVec2 = self.near[i].iter().map(|(_, g)| *g).sum();
            let squares: f64 = self.near[i].iter().map(|(_, g)| g.length_squared()).sum();
            let scale = dt * self.mass / self.rho[i];
            -scale * scale * (sum.length_squared() + squares)
        };
        let diagonal: Vec<f64> = (0..n).map(diagonal).collect();
        // (4.16)
        let source = |i: usize| RHO_0 - self.rho[i] - dt * self.rate(i, &self.v);
        let source: Vec<f64> = (0..n).map(source).collect();
        self.p.iter_mut().for_each(|p| *p *= 0.5);
        let mut iterations = 0;
        loop {
            self.accelerate();
            let (mut error, mut pressed) = (0.0, 0);
            let mut updated = self.p.clone();
            for (i, p) in updated.iter_mut().enumerate().filter(|(i, _)| diagonal[*i] < 0.0) {
                let residual = source[i] - dt * dt * self.rate(i, &self.a); // (4.18)
                *p += RELAXATION * residual / diagonal[i]; // (4.19)
                if *p < 0.0 {
                    *p = 0.0;
                } else {
                    error += residual.abs() / RHO_0;
                    pressed += 1;
                }
            }
            iterations += 1;
            let is_solved = iterations >= 2 && error <= tolerance * f64::from(pressed);
            if keeps || !is_solved {
                self.p = updated;
            }
            if is_solved || iterations >= 1000 {
                self.accelerate();
                return iterations;
            }
        }
    }

    /// m Σ (u_f − u_j)·∇W over the neighbours; walls have no u.
    fn rate(&self, i: usize, u: &[DVec2]) -> f64 {
        let own = u[i];
        let term = |&(j, g): &(usize, DVec2)| (own - u.get(j).copied().unwrap_or_default()).dot(g);
        self.mass * self.near[i].iter().map(term).sum::<f64>()
    }

    /// Algorithm 7.
    fn accelerate(&mut self) {
        let over = |i: usize| self.p[i] / (self.rho[i] * self.rho[i]);
        let acceleration = |i: usize| -> DVec2 {
            let wall = self.p[i] / (RHO_0 * RHO_0);
            let near = self.near[i].iter();
            let term =
                near.map(|&(j, g)| (over(i) + if j < self.p.len() { over(j) } else { wall }) * g);
            -self.mass * term.sum::<DVec2>()
        };
        self.a = (0..self.liquid()).map(acceleration).collect();
    }

    /// The end of Algorithm 9.
    fn advance(&mut self, dt: f64) {
        for ((x, v), a) in self.x.iter_mut().zip(&mut self.v).zip(&self.a) {
            *v += dt * *a;
            *x += dt * *v;
        }
    }
}

/// Algorithm 1, over q = r/h.
fn kernel(q: f64, h: f64) -> f64 {
    let (t1, t2) = ((1.0 - q).max(0.0), (2.0 - q).max(0.0));
    5.0 / (14.0 * PI * h * h) * (t2.powi(3) - 4.0 * t1.powi(3))
}

/// Algorithm 2.
fn gradient(r: DVec2, h: f64) -> DVec2 {
    let q = r.length() / h;
    if q <= 0.0 {
        return DVec2::ZERO;
    }
    let (t1, t2) = ((1.0 - q).max(0.0), (2.0 - q).max(0.0));
    5.0 / (14.0 * PI * h * h) * (12.0 * t1 * t1 - 3.0 * t2 * t2) / (r.length() * h) * r
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::settings;

    /// Table 5.1 at 0.06 and 0.08: 18.04 and 30.01 iterations.
    #[test]
    fn printed_algorithms_give_printed_iterations() {
        for (dt, printed) in [("0.06", 18.04), ("0.08", 30.01)] {
            let set = [format!("time_step={dt}")];
            let found = Hunkler.run(&settings(&Hunkler, &set).unwrap()).unwrap();
            let iterations = found.numbers[1];
            assert!((iterations / printed - 1.0).abs() < 0.01, "{dt}: {iterations}");
        }
    }

    #[test]
    fn the_dams_have_the_printed_number_of_particles() {
        assert_eq!([false, true].map(|leaks| Dam::new(leaks).x.len()), [1251, 7199]);
    }
}
