// Draws background, floor, faces, spheres, discs and edges, and the shadow map. Follows the painter
// of lawine-render, so that window and files look alike.

@group(1) @binding(0) var shadow_map: texture_depth_2d;
@group(1) @binding(1) var shadow_sampler: sampler_comparison;

// Light, and where it comes from for the shading of corners: a is its strength there.
struct Seen {
    @location(0) light: vec4f,
    @location(1) normal: vec4f,
};

fn seen(light: vec3f, normal: vec3f, kind: f32) -> Seen {
    return Seen(vec4f(light, kind), vec4f(0.5 * normal + 0.5, 1.0));
}

// Light that lies over what is there, which keeps its normal.
fn over(light: vec3f, part: f32) -> Seen {
    return Seen(vec4f(light, part), vec4f());
}

const LAMP = 0.78;
const SKY = 0.52;

// A point in the coordinates of the shadow map, -1 to 1, and its depth, 0 to 1.
fn to_shadow(p: vec3f) -> vec3f {
    let half = view.light.w;
    let x = dot(view.light_x.xyz, p) - view.light_x.w;
    let y = dot(view.light_y.xyz, p) - view.light_y.w;
    let z = dot(view.light_z.xyz, p) - view.light_z.w;
    return vec3f(x / half, y / half, 0.5 + 0.5 * z / half);
}

const TAPS = array<vec2f, 12>(
    vec2f(-0.33, -0.87), vec2f(0.52, -0.76), vec2f(-0.91, -0.28), vec2f(0.12, -0.39),
    vec2f(0.89, -0.12), vec2f(-0.42, 0.02), vec2f(0.37, 0.18), vec2f(-0.81, 0.46),
    vec2f(-0.06, 0.55), vec2f(0.72, 0.63), vec2f(-0.36, 0.90), vec2f(0.22, 0.95),
);

// The part of the lamp's light that arrives, softened over `soft` metres; `bias` metres in front.
fn reached(p: vec3f, bias: f32, soft: f32) -> f32 {
    if view.up.w < 0.5 {
        return 1.0;
    }
    let s = to_shadow(p);
    let uv = vec2f(0.5 + 0.5 * s.x, 0.5 - 0.5 * s.y);
    if any(uv < vec2f(0.0)) || any(uv > vec2f(1.0)) {
        return 1.0;
    }
    // What lies beyond the map is behind all things, like an empty texel.
    let depth = min(s.z - 0.5 * bias / view.light.w, 1.0);
    let spread = 0.5 * soft / view.light.w;
    var lit = 0.0;
    for (var i = 0; i < 12; i++) {
        let tap = TAPS[i] * spread;
        lit += textureSampleCompareLevel(shadow_map, shadow_sampler, uv + tap, depth);
    }
    return lit / 12.0;
}

// A dull surface with a soft highlight.
fn surface(p: vec3f, normal: vec3f, color: vec3f, lit: f32) -> vec3f {
    let to_eye = normalize(eye() - p);
    let lamp = max((dot(normal, view.light.xyz) + 0.2) / 1.2, 0.0) * lit;
    let sky = 0.66 + 0.34 * dot(normal, view.up.xyz);
    let middle = normalize(view.light.xyz + to_eye);
    let shine = pow(max(dot(normal, middle), 0.0), 32.0) * 0.12 * lit;
    let edge = pow(1.0 - clamp(dot(normal, to_eye), 0.0, 1.0), 3.0);
    return color * (SKY * sky + LAMP * lamp) * (1.0 - 0.25 * edge) + shine + 0.1 * edge * sky;
}

// ---- background and floor

@vertex
fn screen_vertex(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
    return vec4f(f32(i32(i & 1u) * 4 - 1), f32(i32(i >> 1u) * 4 - 1), 0.0, 1.0);
}

@fragment
fn background_fragment(@builtin(position) at: vec4f) -> Seen {
    return seen(background(at.y), vec3f(0.0), 0.0);
}

struct FloorOut {
    @builtin(position) clip: vec4f,
    @location(0) p: vec3f,
};

@vertex
fn floor_vertex(@builtin(vertex_index) i: u32) -> FloorOut {
    let across = normalize(cross(view.up.xyz, vec3f(0.31, 0.17, 0.93)));
    let along = cross(view.up.xyz, across);
    let corner = vec2f(f32(i & 1u) * 2.0 - 1.0, f32(i >> 1u) * 2.0 - 1.0) * view.floor.w;
    let p = view.floor.xyz + corner.x * across + corner.y * along;
    // A little behind the bottom of a tank that stands on it.
    let c = clip(to_camera(p));
    return FloorOut(vec4f(c.xy, 0.998 * c.z, c.w), p);
}

@fragment
fn floor_fragment(in: FloorOut) -> Seen {
    let back = background(in.clip.y);
    let off = min(length(in.p - view.floor.xyz) / view.floor.w, 1.0);
    let near = (1.0 - off) * (1.0 - off) * (1.0 + 2.0 * off);
    let lit = reached(in.p, 0.0, 0.025 * view.light.w);
    let shade = 1.0 - 0.5 * (1.0 - lit);
    let lighter = min(back * 1.7 + 0.01, vec3f(0.93));
    let bright = mix(back, max(lighter, back), 0.55 * near);
    // Looked at from below, it is not there.
    let above = step(0.0, dot(view.up.xyz, eye() - in.p));
    let light = mix(back, bright * (1.0 - (1.0 - shade) * min(sqrt(near), 1.0)), above);
    return seen(light, view.up.xyz, 0.5 * near * above);
}

// ---- faces

struct FaceIn {
    @location(0) p: vec3f,
    @location(1) normal: vec3f,
    @location(2) color: vec4f,
};

struct FaceOut {
    @builtin(position) clip: vec4f,
    @location(0) p: vec3f,
    @location(1) normal: vec3f,
    @location(2) color: vec4f,
};

@vertex
fn face_vertex(in: FaceIn) -> FaceOut {
    return FaceOut(clip(to_camera(in.p)), in.p, in.normal, in.color);
}

// In w of the colour: the part of the light behind that is seen, for glass; such faces are drawn
// only where they look away from the eye.
@fragment
fn face_fragment(in: FaceOut) -> Seen {
    let color = to_linear(in.color.rgb);
    if is_planar() || view.reach.w > 0.5 {
        return seen(color, vec3f(0.0), 0.0);
    }
    let to_eye = eye() - in.p;
    let across = normalize(in.normal);
    let front = dot(across, to_eye) > 0.0;
    let glass = in.color.a;
    if glass > 0.0 && front {
        discard;
    }
    let normal = select(-across, across, front);
    let lit = reached(in.p + normal * (0.004 * view.light.w), 0.004 * view.light.w, 0.004 * view.light.w);
    let own = surface(in.p, normal, color, lit);
    let behind = background(in.clip.y) * (1.0 - 0.4 * (1.0 - lit));
    return seen(mix(own, behind, glass), normal, 0.75);
}

// ---- spheres and discs

struct SphereIn {
    @builtin(vertex_index) corner: u32,
    // Centre and radius.
    @location(0) ball: vec4f,
    @location(1) color: vec4f,
};

struct SphereOut {
    @builtin(position) clip: vec4f,
    @location(0) p: vec3f,
    @location(1) @interpolate(flat, either) ball: vec4f,
    @location(2) @interpolate(flat, either) color: vec4f,
};

fn corner_of(i: u32) -> vec2f {
    return vec2f(f32(i & 1u) * 2.0 - 1.0, f32(i >> 1u) * 2.0 - 1.0);
}

@vertex
fn sphere_vertex(in: SphereIn) -> SphereOut {
    let corner = corner_of(in.corner);
    let c = in.ball.xyz - eye();
    let r = in.ball.w;
    if is_planar() {
        // A disc below a pixel is spread over a pixel, with less weight.
        let pixel = 1.0 / (view.lens.y * view.lens.w);
        let reach = max(r, 0.8 * pixel) + pixel;
        let p = in.ball.xyz + reach * (corner.x * view.right.xyz + corner.y * view.down.xyz);
        return SphereOut(clip(to_camera(p)), p, in.ball, in.color);
    }
    // A square across the line of sight, just large enough for the cone around the sphere.
    let distance = length(c);
    let toward = c / distance;
    let across = normalize(cross(toward, view.down.xyz + 1e-4 * view.right.xyz));
    let along = cross(toward, across);
    let reach = r * distance / sqrt(max(distance * distance - r * r, 1e-12 * distance * distance));
    let p = in.ball.xyz + 1.02 * reach * (corner.x * across + corner.y * along);
    let behind = distance <= 1.01 * r || dot(view.away.xyz, c) < view.lens.z + r;
    return SphereOut(select(clip(to_camera(p)), vec4f(0.0, 0.0, 2.0, 1.0), behind), p, in.ball, in.color);
}

struct SphereSeen {
    @location(0) light: vec4f,
    @location(1) normal: vec4f,
    @builtin(frag_depth) depth: f32,
};

@fragment
fn sphere_fragment(in: SphereOut) -> SphereSeen {
    let c = in.ball.xyz - eye();
    let r = in.ball.w;
    let ray = normalize(in.p - eye());
    let b = dot(ray, c);
    let off = c - b * ray;
    let inside = r * r - dot(off, off);
    if inside < 0.0 {
        discard;
    }
    let hit = (b - sqrt(inside)) * ray;
    let normal = (hit - c) / r;
    let p = hit + eye();
    let lit = reached(p + 0.1 * r * normal, 0.35 * r + 0.003 * view.light.w, 0.5 * r + 0.002 * view.light.w);
    let light = surface(p, normal, to_linear(in.color.rgb), lit);
    return SphereSeen(vec4f(light, 1.0), vec4f(0.5 * normal + 0.5, 1.0), view.lens.z / dot(view.away.xyz, hit));
}

// A disc with a soft light from the upper left, and an outline if there is room for it.
@fragment
fn disc_fragment(in: SphereOut) -> Seen {
    let d = to_camera(in.p) - to_camera(in.ball.xyz);
    let scale = view.lens.y * view.lens.w;
    let own = in.ball.w * scale;
    let radius = max(own, 0.8);
    let x = d.xy * scale;
    let far = length(x);
    let part = clamp(radius + 0.5 - far, 0.0, 1.0) * min(own * own / (radius * radius), 1.0);
    if part <= 0.0 {
        discard;
    }
    let color = to_linear(in.color.rgb);
    let room = clamp((radius - 2.2 * view.size.z) / 2.5, 0.0, 1.0);
    let lit = -(0.6 * x.x + 0.8 * x.y) / radius;
    let round = 1.0 - min(far * far / (radius * radius), 1.0);
    let inner = color * (0.9 + 0.12 * lit + 0.10 * round) + 0.02 * round;
    let width = clamp(0.09 * radius, 0.7, 2.2 * view.size.z);
    let rim = clamp(far - (radius - width) + 0.5, 0.0, 1.0) * (room * 0.55 + 0.15);
    let light = mix(mix(color, inner, 0.4 + 0.6 * room), color * 0.30, rim);
    return over(light, part);
}

// ---- edges

struct EdgeIn {
    @builtin(vertex_index) corner: u32,
    @location(0) a: vec3f,
    @location(1) b: vec3f,
    @location(2) color: vec4f,
};

struct EdgeOut {
    @builtin(position) clip: vec4f,
    @location(0) across: f32,
    @location(1) @interpolate(flat, either) color: vec4f,
};

@vertex
fn edge_vertex(in: EdgeIn) -> EdgeOut {
    let corner = corner_of(in.corner);
    var a = to_camera(in.a);
    var b = to_camera(in.b);
    if !is_planar() {
        // Cut at the near plane.
        let near = 1.5 * view.lens.z;
        if a.z < near && b.z < near {
            return EdgeOut(vec4f(0.0, 0.0, 2.0, 1.0), 0.0, in.color);
        }
        if a.z < near { a = mix(a, b, (near - a.z) / (b.z - a.z)); }
        if b.z < near { b = mix(b, a, (near - b.z) / (a.z - b.z)); }
    }
    let ca = clip(a);
    let cb = clip(b);
    let pixels = 0.5 * view.size.xy;
    let along = normalize((cb.xy / cb.w - ca.xy / ca.w) * pixels + vec2f(1e-6, 0.0));
    let half = (0.65 * view.size.y / 720.0 + 0.5) + 0.5;
    var c = select(ca, cb, corner.x > 0.0);
    c = vec4f(c.xy + vec2f(-along.y, along.x) / pixels * (half * corner.y * c.w), c.zw);
    // A little in front of the faces it belongs to.
    c.z *= 1.003;
    return EdgeOut(c, half * corner.y, in.color);
}

@fragment
fn edge_fragment(in: EdgeOut) -> Seen {
    let half = 0.65 * view.size.y / 720.0 + 0.5;
    let part = clamp(half + 0.5 - abs(in.across), 0.0, 1.0);
    return over(to_linear(in.color.rgb), in.color.a * part);
}

// ---- the shadow map: the scene as the light sees it

@vertex
fn face_shadow_vertex(in: FaceIn) -> @builtin(position) vec4f {
    let s = to_shadow(in.p);
    // Glass casts no shadow.
    return select(vec4f(s, 1.0), vec4f(0.0, 0.0, 2.0, 1.0), in.color.a > 0.0);
}

@fragment
fn face_shadow_fragment() {}

struct ShadowOut {
    @builtin(position) clip: vec4f,
    @location(0) off: vec2f,
    @location(1) @interpolate(flat, either) radius: f32,
};

@vertex
fn sphere_shadow_vertex(in: SphereIn) -> ShadowOut {
    let corner = corner_of(in.corner);
    let s = to_shadow(in.ball.xyz);
    // A small sphere must not fall between the texels.
    let r = max(in.ball.w / view.light.w, 0.0015);
    return ShadowOut(vec4f(s.xy + corner * r, s.z, 1.0), corner, 0.5 * in.ball.w / view.light.w);
}

@fragment
fn sphere_shadow_fragment(in: ShadowOut) -> @builtin(frag_depth) f32 {
    let inside = 1.0 - dot(in.off, in.off);
    if inside < 0.0 {
        discard;
    }
    return in.clip.z - in.radius * sqrt(inside);
}
