// From samples to pixels: darkens corners and crevices (as in Shanmugam and Arikan 2007), averages
// the samples of a pixel, and puts the picture on the window.

@group(1) @binding(0) var light_map: texture_2d<f32>;
@group(1) @binding(1) var normal_map: texture_2d<f32>;
@group(1) @binding(2) var depth_map: texture_2d<f32>;

struct Corner {
    @builtin(position) clip: vec4f,
    @location(0) place: vec2f,
};

@vertex
fn compose_vertex(@builtin(vertex_index) i: u32) -> Corner {
    let at = vec2f(f32(i32(i & 1u) * 4 - 1), f32(i32(i >> 1u) * 4 - 1));
    return Corner(vec4f(at, 0.0, 1.0), vec2f(0.5 + 0.5 * at.x, 0.5 - 0.5 * at.y));
}

// Camera space point of a sample.
fn point(at: vec2i, depth: f32) -> vec3f {
    let z = view.lens.z / depth;
    let slope = ((vec2f(at) + 0.5) / view.size.xy * 2.0 - 1.0) / view.lens.xy;
    return vec3f(slope * z, z);
}

const PATTERN = array<vec2f, 16>(
    vec2f(0.30, 0.00), vec2f(0.21, 0.21), vec2f(-0.05, 0.36), vec2f(-0.42, 0.05),
    vec2f(-0.33, 0.31), vec2f(-0.33, -0.33), vec2f(0.00, -0.52), vec2f(0.40, -0.40),
    vec2f(0.56, -0.14), vec2f(0.62, 0.20), vec2f(0.42, 0.55), vec2f(0.00, 0.74),
    vec2f(-0.56, 0.56), vec2f(-0.84, 0.00), vec2f(-0.60, -0.60), vec2f(0.10, -0.92),
);

// The part of the sky above a surface that nearby things hide.
fn hidden(at: vec2i, p: vec3f, normal: vec3f, grain: bool) -> f32 {
    var sum = 0.0;
    let limit = vec2i(view.size.xy) - 1;
    for (var i = 0; i < 16; i++) {
        let fine = grain && (i & 1) == 0;
        let reach = select(view.reach.y, view.reach.x, fine);
        let weight = select(select(0.45, 0.65, grain), 1.25, fine);
        let across = clamp(reach * view.lens.w * view.lens.y / p.z, 2.0, 160.0);
        let other = clamp(at + vec2i(PATTERN[i] * across), vec2i(0), limit);
        let depth = textureLoad(depth_map, other, 0).r;
        if depth <= 0.0 {
            continue;
        }
        let between = point(other, depth) - p;
        let distance2 = dot(between, between) + 1e-12;
        let height = dot(normal, between) - 0.05 * reach;
        let near = 1.0 - distance2 / (reach * reach);
        if height > 0.0 && near > 0.0 {
            sum += height / sqrt(distance2) * near * weight;
        }
    }
    return min(sum * 2.6 / 16.0, 0.85);
}

@fragment
fn compose_fragment(in: Corner) -> @location(0) vec4f {
    let n = i32(view.size.z);
    let first = vec2i(in.place * view.size.xy / f32(n)) * n;
    let limit = vec2i(view.size.xy) - 1;
    var sum = vec3f(0.0);
    for (var j = 0; j < n; j++) {
        for (var i = 0; i < n; i++) {
            let at = min(first + vec2i(i, j), limit);
            let sample = textureLoad(light_map, at, 0);
            var open = 1.0;
            // Planar pictures have no crevices, and neither has the background.
            if !is_planar() && sample.a > 0.0 {
                let depth = textureLoad(depth_map, at, 0).r;
                let world = textureLoad(normal_map, at, 0).xyz * 2.0 - 1.0;
                let normal = vec3f(dot(view.right.xyz, world), dot(view.down.xyz, world), dot(view.away.xyz, world));
                open = 1.0 - view.reach.z * min(sample.a, 1.0) * hidden(at, point(at, depth), normal, sample.a > 0.9);
            }
            sum += sample.rgb * open;
        }
    }
    let light = sum / f32(n * n);
    return vec4f(select(light, to_encoded(light), view.size.w > 0.5), 1.0);
}
