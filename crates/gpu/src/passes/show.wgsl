// Particles as spheres for a painter: centre, radius and colour, five numbers each.

struct Frame {
    // Node 0 relative to what places are relative to [m], and the radius [m].
    offset: vec3<f32>,
    radius: f32,
    // Nodes between node 0 and the one that places are relative to.
    node: vec3<i32>,
    // What the colour tells, see `Value` of the host.
    value: u32,
    // Its values at the ends of the colours.
    low: f32,
    high: f32,
};

@group(1) @binding(0) var<uniform> frame: Frame;
@group(1) @binding(1) var<storage, read> palette: array<u32, 256>;
@group(1) @binding(2) var<storage, read_write> balls: array<u32>;

fn density(i: u32, side: u32) -> f32 {
    let a = bitcast<vec4<f32>>(load(side + STRAIN_A, i));
    let b = bitcast<vec4<f32>>(load(side + STRAIN_B, i));
    let d = 1.0 + a.xyz;
    // yz, xz, xy
    let o = vec3<f32>(a.w, b.xy);
    let det = d.x * (d.y * d.z - o.x * o.x) - o.z * (o.z * d.z - o.x * o.y) + o.y * (o.z * o.x - d.y * o.y);
    let volume = sqrt(max(det, 0.0)) * (1.0 + b.z) * b.w;
    return bitcast<f32>(load(side + POSITION, i).w) / max(volume, 1e-30);
}

fn value(i: u32, side: u32) -> f32 {
    let velocity = bitcast<vec4<f32>>(load(side + VELOCITY, i));
    switch frame.value {
        case 0u: { return length(velocity.xyz); }
        case 1u: { return velocity.x; }
        case 2u: { return velocity.y; }
        case 3u: { return velocity.z; }
        case 4u: { return 1.0 + bitcast<f32>(load(side + STRAIN_B, i).z); }
        case 5u: { return density(i, side); }
        default: { return f32(identity[params.side * N + i].y); }
    }
}

@compute @workgroup_size(256)
fn show(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lid: u32) {
    let i = flat(group, lid, 256u);
    if i >= params.n { return; }
    let side = params.side * 4u;
    let key = lists[keys_at(i)];
    let cell = vec3<i32>(vec3<u32>(key >> 4u, key >> 2u, key) & vec3<u32>(3u));
    let part = vec3<f32>(load(side + POSITION, i).xyz) / 4294967296.0;
    var shift = vec3<f32>(SHIFT);
#if PLANAR
    shift.z = 0.0;
#end
    // Blocks are wrapped by their lowest reach, particles by where they are.
    var node = 4 * coords[params.list * CAP_G + (key >> 6u)].xyz + cell;
    let beyond = vec3<f32>(node) + part + shift >= vec3<f32>(4 * params.period);
    node -= select(vec3<i32>(), 4 * params.period, (params.period > vec3<i32>()) & beyond);
    var at = (vec3<f32>(node - frame.node) + part + shift) * params.h + frame.offset;
#if PLANAR
    at.z = frame.offset.z - f32(frame.node.z) * params.h;
#end
    let place = clamp((value(i, side) - frame.low) / max(frame.high - frame.low, 1e-30), 0.0, 1.0);
    balls[5u * i] = bitcast<u32>(at.x);
    balls[5u * i + 1u] = bitcast<u32>(at.y);
    balls[5u * i + 2u] = bitcast<u32>(at.z);
    balls[5u * i + 3u] = bitcast<u32>(frame.radius);
    balls[5u * i + 4u] = palette[u32(255.0 * place + 0.5)];
}
