// Folds the stress of another time step into the affine matrices, when the step changes. With a step of
// zero the matrices are the velocity gradients alone; stress and modulus then go to the other side,
// for the host to read.

@compute @workgroup_size(256)
fn bake(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lid: u32) {
    let i = flat(group, lid, 256u);
    if i >= params.n { return; }
    let side = params.side * 4u;
    let a = bitcast<vec4<f32>>(load(side + STRAIN_A, i));
    let b = bitcast<vec4<f32>>(load(side + STRAIN_B, i));
    let m = bitcast<f32>(load(side + POSITION, i).w);
    let found = eigen(Sym(a.xyz, vec3<f32>(a.w, b.xy)));
    // The strain is allowed as it is; only its stress is asked for.
    let response = stress(identity[params.side * N + i].y, strains(found.values), b.z);
    let tau = rebuild(response.xyz, found);
    let velocity = bitcast<vec4<f32>>(load(side + VELOCITY, i));
#if FLIP
    store_affine(i, side, velocity.xyz, vec3<f32>(), vec3<f32>(), vec3<f32>(), tau, params.bake * b.w / m);
#else
    let c = bitcast<vec4<f32>>(load(AFFINE_A, i));
    let d = bitcast<vec4<f32>>(load(AFFINE_B, i));
    store_affine(
        i, side, velocity.xyz, c.xyz, vec3<f32>(c.w, d.xy), vec3<f32>(d.zw, velocity.w), tau,
        (params.bake - params.baked) * b.w / m
    );
#end
    if params.bake == 0.0 {
        let other = 4u - side;
        store(other + STRAIN_A, i, bitcast<vec4<u32>>(vec4<f32>(tau.d, tau.o.x)));
        store(other + STRAIN_B, i, bitcast<vec4<u32>>(vec4<f32>(tau.o.yz, response.w, 0.0)));
    }
}
