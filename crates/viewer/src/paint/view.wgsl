// What all shaders know about the picture. Positions are relative to an origin near the scene, so
// that single precision is enough; axes are those of the world.

struct View {
    // Rows that take a world direction to the picture: right, down, away. In w: the eye [m].
    right: vec4f,
    down: vec4f,
    away: vec4f,
    // Across the light, along it, away from it; in w offsets to the middle of the shadow map [m].
    light_x: vec4f,
    light_y: vec4f,
    light_z: vec4f,
    // Towards the light; in w half the width of the shadow map [m].
    light: vec4f,
    // Up; in w whether there is a shadow map.
    up: vec4f,
    // Light of the background at the upper and lower edge; w: 1 in planar pictures.
    top: vec4f,
    bottom: vec4f,
    // Middle of the floor [m]; in w its radius [m], zero without a floor.
    floor: vec4f,
    // Clip space per slope (in space) or per metre (in a plane), in x and y; near plane [m];
    // pixels per unit of clip space in y.
    lens: vec4f,
    // Size of the picture [px]; samples across a pixel; whether the target wants encoded colours.
    size: vec4f,
    // Reach of shading among grains and among larger shapes [m]; its strength; 1 for flat faces.
    reach: vec4f,
};

@group(0) @binding(0) var<uniform> view: View;

fn eye() -> vec3f {
    return vec3f(view.right.w, view.down.w, view.away.w);
}

// A point in camera space: right, down, away from the eye.
fn to_camera(p: vec3f) -> vec3f {
    let d = p - eye();
    return vec3f(dot(view.right.xyz, d), dot(view.down.xyz, d), dot(view.away.xyz, d));
}

fn is_planar() -> bool {
    return view.top.w > 0.5;
}

// Reversed depth: near/z, which keeps its precision far away.
fn clip(c: vec3f) -> vec4f {
    if is_planar() {
        return vec4f(c.x * view.lens.x, -c.y * view.lens.y, 0.5, 1.0);
    }
    return vec4f(c.x * view.lens.x, -c.y * view.lens.y, view.lens.z, c.z);
}

fn background(row: f32) -> vec3f {
    return mix(view.top.xyz, view.bottom.xyz, clamp(row / view.size.y, 0.0, 1.0));
}

// A stored colour as light: IEC 61966-2-1.
fn to_linear(c: vec3f) -> vec3f {
    return select(pow((c + 0.055) / 1.055, vec3f(2.4)), c / 12.92, c <= vec3f(0.04045));
}

fn to_encoded(c: vec3f) -> vec3f {
    let x = clamp(c, vec3f(0.0), vec3f(1.0));
    return select(1.055 * pow(x, vec3f(1.0 / 2.4)) - 0.055, x * 12.92, x <= vec3f(0.0031308));
}
