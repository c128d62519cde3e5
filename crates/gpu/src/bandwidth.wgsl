// Copies a buffer: nothing but memory takes time.

@group(0) @binding(0) var<storage, read> source: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> copy: array<vec4<u32>>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) thread: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    for (var i = thread.x; i < arrayLength(&copy); i += groups.x * 256u) {
        copy[i] = source[i];
    }
}
