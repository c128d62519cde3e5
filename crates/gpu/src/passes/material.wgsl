// Deformation, plastic flow and stress of a particle, as in the CPU's `strain.rs` and `material/`.
// e = F_E F_Eᵀ − 1 as xx, yy, zz, yz, xz, xy.

struct Sym {
    d: vec3<f32>,
    o: vec3<f32>,
};

const SNOW: u32 = 0u;
const ELASTIC: u32 = 1u;
const SAND: u32 = 2u;
const LIQUID: u32 = 3u;

// J − 1 of principal strains, without losing digits.
fn volume_change(d: vec3<f32>) -> f32 {
    let ab = d.x + d.y + d.x * d.y;
    return ab + d.z + ab * d.z;
}

fn log_1p(x: f32) -> f32 {
    let z = x / (2.0 + x);
    let zz = z * z;
    let series = 2.0 * z * (1.0 + zz * (1.0 / 3.0 + zz * (0.2 + zz * (1.0 / 7.0 + zz / 9.0))));
    return select(log(max(1.0 + x, 1e-30)), series, abs(x) < 0.25);
}

fn exp_m1(x: f32) -> f32 {
    let series = x * (1.0 + x / 2.0 * (1.0 + x / 3.0 * (1.0 + x / 4.0 * (1.0 + x / 5.0 * (1.0 + x / 6.0 * (1.0 + x / 7.0))))));
    return select(exp(x) - 1.0, series, abs(x) < 0.25);
}

// Fixed-corotated: τ_i = 2μ (s_i − 1) s_i + λ J (J − 1).
fn kirchhoff(mu: f32, lambda: f32, d: vec3<f32>) -> vec3<f32> {
    let change = volume_change(d);
    return 2.0 * mu * (d + d * d) + lambda * (change + change * change);
}

fn project_sand(cone: f32, d: vec3<f32>, q: f32) -> vec3<f32> {
    let gap = log_1p(max(q, 0.0)) / 3.0;
    let strain = vec3<f32>(log_1p(d.x), log_1p(d.y), log_1p(d.z)) + gap;
    let trace = strain.x + strain.y + strain.z;
    let mean = trace / 3.0;
    let dev = strain - mean;
    let size = length(dev);
    let excess = max(size + cone * trace, 0.0);
    if excess + gap + max(trace, 0.0) <= 0.0 { return d; }
    let share = select((size - excess) / max(size, 1e-30), 0.0, trace >= 0.0);
    let left = min(mean, 0.0) + share * dev;
    return vec3<f32>(exp_m1(left.x), exp_m1(left.y), exp_m1(left.z));
}

// Rows of a law: 0 kind, μ, λ, bulk modulus; 1 hardening, θ_c, θ_s, largest exponent (sand: cone first).

// The elastic strains that are left of trial strains after flow; q is J_P − 1.
fn project(material: u32, trial: vec3<f32>, q: f32) -> vec3<f32> {
    let more = materials[2u * material + 1u];
    switch bitcast<u32>(materials[2u * material].x) {
        case SNOW: { return clamp(trial, vec3<f32>(-more.y), vec3<f32>(more.z)); }
        case SAND: { return project_sand(more.x, trial, q); }
        case LIQUID: {
            let change = volume_change(trial);
            return vec3<f32>(exp_m1(log_1p(min(change + q + change * q, 0.0)) / 3.0));
        }
        default: { return trial; }
    }
}

// Principal Kirchhoff stresses [Pa] and the modulus of longitudinal waves [Pa].
fn stress(material: u32, d: vec3<f32>, q: f32) -> vec4<f32> {
    let law = materials[2u * material];
    let more = materials[2u * material + 1u];
    let modulus = law.z + 2.0 * law.y;
    switch bitcast<u32>(law.x) {
        case SNOW: {
            let factor = exp(clamp(-more.x * q, -12.0, more.w));
            return factor * vec4<f32>(kirchhoff(law.y, law.z, d), modulus);
        }
        case SAND: {
            let strain = vec3<f32>(log_1p(d.x), log_1p(d.y), log_1p(d.z));
            return vec4<f32>(2.0 * law.y * strain + law.z * (strain.x + strain.y + strain.z), modulus);
        }
        case LIQUID: {
            // τ = −J p with p = K/7 (J⁻⁷ − 1).
            let x = volume_change(d);
            let power = x * (7.0 + x * (21.0 + x * (35.0 + x * (35.0 + x * (21.0 + x * (7.0 + x))))));
            let bulk = law.w * (1.0 + x) / (1.0 + power);
            return vec4<f32>(vec3<f32>(bulk * power / 7.0), bulk);
        }
        default: { return vec4<f32>(kirchhoff(law.y, law.z, d), modulus); }
    }
}

struct Eigen {
    values: vec3<f32>,
    u: vec3<f32>,
    v: vec3<f32>,
    w: vec3<f32>,
};

// cos and sin of the rotation that uncouples two axes with difference d and coupling a.
fn turn(d: f32, a: f32) -> vec3<f32> {
    let twice = a + a;
    let root = sqrt(d * d + twice * twice);
    let below = select(d - root, d + root, d >= 0.0);
    let t = select(twice / below, 0.0, root <= 1e-19);
    let c = inverseSqrt(1.0 + t * t);
    return vec3<f32>(t * a, c, t * c);
}

// Eigenvalues and eigenvectors of a symmetric matrix by Jacobi's rotations.
fn eigen(m: Sym) -> Eigen {
    var values = m.d;
    var off = m.o;
    var u = vec3<f32>(1.0, 0.0, 0.0);
    var v = vec3<f32>(0.0, 1.0, 0.0);
    var w = vec3<f32>(0.0, 0.0, 1.0);
    for (var sweep = 0u; sweep < 4u; sweep++) {
        let a = turn(values.y - values.x, off.z);
        values += vec3<f32>(-a.x, a.x, 0.0);
        off = vec3<f32>(a.z * off.y + a.y * off.x, a.y * off.y - a.z * off.x, 0.0);
        let u_a = a.y * u - a.z * v;
        v = a.z * u + a.y * v;
        u = u_a;
        let b = turn(values.z - values.x, off.y);
        values += vec3<f32>(-b.x, 0.0, b.x);
        off = vec3<f32>(b.z * off.z + b.y * off.x, 0.0, b.y * off.z - b.z * off.x);
        let u_b = b.y * u - b.z * w;
        w = b.z * u + b.y * w;
        u = u_b;
        let c = turn(values.z - values.y, off.x);
        values += vec3<f32>(0.0, -c.x, c.x);
        off = vec3<f32>(0.0, c.z * off.z + c.y * off.y, c.y * off.z - c.z * off.y);
        let v_c = c.y * v - c.z * w;
        w = c.z * v + c.y * w;
        v = v_c;
    }
    return Eigen(values, u, v, w);
}

// Σ value_i u_i u_iᵀ.
fn rebuild(values: vec3<f32>, f: Eigen) -> Sym {
    let a = values.x * f.u;
    let b = values.y * f.v;
    let c = values.z * f.w;
    return Sym(
        a * f.u + b * f.v + c * f.w,
        vec3<f32>(
            a.y * f.u.z + b.y * f.v.z + c.y * f.w.z,
            a.x * f.u.z + b.x * f.v.z + c.x * f.w.z,
            a.x * f.u.y + b.x * f.v.y + c.x * f.w.y
        )
    );
}

// d = √(1 + ε) − 1, without losing digits; what is squeezed below a tenth is as good as inverted.
fn strains(values: vec3<f32>) -> vec3<f32> {
    let x = max(values, vec3<f32>(-0.99));
    return x / (1.0 + sqrt(1.0 + x));
}

// e after a step: b ← (1 + L) b (1 + L)ᵀ with L = Δt ∇v, given by its rows.
fn stretch(e: Sym, l0: vec3<f32>, l1: vec3<f32>, l2: vec3<f32>) -> Sym {
    let c0 = vec3<f32>(e.d.x, e.o.z, e.o.y);
    let c1 = vec3<f32>(e.o.z, e.d.y, e.o.x);
    let c2 = vec3<f32>(e.o.y, e.o.x, e.d.z);
    // M = L b = L + L e.
    let m0 = l0 + vec3<f32>(dot(l0, c0), dot(l0, c1), dot(l0, c2));
    let m1 = l1 + vec3<f32>(dot(l1, c0), dot(l1, c1), dot(l1, c2));
    let m2 = l2 + vec3<f32>(dot(l2, c0), dot(l2, c1), dot(l2, c2));
    // e + M + Mᵀ + M Lᵀ.
    return Sym(
        e.d + vec3<f32>(2.0 * m0.x + dot(m0, l0), 2.0 * m1.y + dot(m1, l1), 2.0 * m2.z + dot(m2, l2)),
        e.o + vec3<f32>(m1.z + m2.y + dot(m1, l2), m0.z + m2.x + dot(m0, l2), m0.y + m1.x + dot(m0, l1))
    );
}
