// What all passes share: layout of the buffers, splines, ways through the lists.

struct Params {
    // Particles, the side of the ping-pong they are on, the list of blocks in use, bodies.
    n: u32,
    side: u32,
    list: u32,
    bodies: u32,
    // Edge of a cell [m], its inverse, the step [s], the fraction of FLIP.
    h: f32,
    inverse: f32,
    dt: f32,
    flip_fraction: f32,
    // Damping over the step; the step that stresses are multiplied by; the one they hold so far; where
    // the bodies of this step begin.
    fade: f32,
    bake: f32,
    baked: f32,
    body_base: u32,
    // Velocity that gravity adds [m/s], and the impulse that one unit of the force sums stands for.
    kick: vec3<f32>,
    impulse: f32,
    // Period of each axis in blocks, zero without.
    period: vec3<i32>,
    spare: u32,
    // The domain, in cells from node 0.
    low: vec4<f32>,
    high: vec4<f32>,
    // Nodes of the lower and upper walls at which splines end.
    first_wall: vec4<i32>,
    last_wall: vec4<i32>,
};

const NONE: u32 = 0xFFFFFFFFu;

// Attributes of a particle, four numbers each; sides 0 and 1.
const POSITION: u32 = 0u;
const VELOCITY: u32 = 1u;
const STRAIN_A: u32 = 2u;
const STRAIN_B: u32 = 3u;
const AFFINE_A: u32 = 8u;
const AFFINE_B: u32 = 9u;

// The first node that a particle reaches lies this far below its cell's corner, in cells.
const SHIFT: f32 = select(0.5, 1.0, CUBIC);
const EDGE: u32 = W + 3u;
const TILE: u32 = EDGE * EDGE * EDGE;

// Parts of `lists`: where particles go, unordered places, sorted places, their cells.
fn keys_at(i: u32) -> u32 { return i; }
fn places_at(i: u32) -> u32 { return N + i; }
fn index_at(i: u32) -> u32 { return 2u * N + i; }
fn cell_at(i: u32) -> u32 { return 3u * N + i; }

// Parts of `cells`: first particle of a cell, and one past its last.
fn first_at(cell: u32) -> u32 { return cell; }
fn end_at(cell: u32) -> u32 { return CAP_P * 64u + cell; }

// Parts of `links`, for each of the two lists.
const LIST: u32 = CAP_P * 40u + CAP_G * 9u;
fn nodes_of(list: u32, block: u32, corner: u32) -> u32 { return list * LIST + block * 8u + corner; }
fn way_of(list: u32, block: u32, direction: u32) -> u32 {
    return list * LIST + CAP_P * 8u + block * 32u + direction;
}
fn source_of(list: u32, block: u32, corner: u32) -> u32 {
    return list * LIST + CAP_P * 40u + block * 8u + corner;
}
fn near_of(list: u32, block: u32) -> u32 { return list * LIST + CAP_P * 40u + CAP_G * 8u + block; }

// Parts of `atomics`.
const PARTICLE_BLOCKS: u32 = 0u; // for both lists
const NODE_BLOCKS: u32 = 2u; // for both lists
const PLACED: u32 = 4u;
const FULL: u32 = 5u;
const CROWDED: u32 = 6u;
// From here on cleared before every step that watches.
const SPEED: u32 = 7u;
const WAVE: u32 = 8u;
const BROKEN: u32 = 9u;
const FAR: u32 = 10u;
const FORCES: u32 = 16u;
const MASKS: u32 = FORCES + REPLICAS * BODIES * 12u;
const TABLE_REP: u32 = MASKS + 2u * CAP_P;
const TABLE_SLOT: u32 = TABLE_REP + TABLE;
const PLACES: u32 = TABLE_SLOT + TABLE; // first particle of a block, and one past its last

// The number of a thread in a dispatch that may have several rows.
fn flat(group: vec3<u32>, local: u32, size: u32) -> u32 {
    return (group.y * ROW + group.x) * size + local;
}

struct Weights {
    w: array<f32, W>,
    g: array<f32, W>,
};
