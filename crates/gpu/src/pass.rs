//! A pass: one shader with its buffers.

use crate::buffers::{Buffers, PARAMS_SIZE};
use crate::device::Gpu;
use crate::shader::Constants;
use std::fmt::Write;
use wgpu::{BindGroup, BindingType, Buffer, BufferBindingType, ComputePipeline, ShaderStages};

/// What a shader sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sees {
    Params,
    Materials,
    Particles,
    Identity,
    Lists,
    Cells,
    /// The cells, changed by several threads at a time.
    SharedCells,
    Coords,
    Links,
    Atomics,
    /// The atomics, only read.
    Counters,
    Tiles,
    Nodes,
    Shapes,
    Dispatches,
}

impl Sees {
    fn declaration(self) -> (&'static str, &'static str) {
        match self {
            Self::Params => ("params", "Params"),
            Self::Materials => ("materials", "array<vec4<f32>, 512>"),
            Self::Particles => ("particles", "array<vec4<u32>>"),
            Self::Identity => ("identity", "array<vec2<u32>>"),
            Self::Lists => ("lists", "array<u32>"),
            Self::Cells => ("cells", "array<u32>"),
            Self::SharedCells => ("cells", "array<atomic<u32>>"),
            Self::Coords => ("coords", "array<vec4<i32>>"),
            Self::Links => ("links", "array<u32>"),
            Self::Atomics => ("atomics", "array<atomic<u32>>"),
            Self::Counters => ("atomics", "array<u32>"),
            Self::Tiles => ("tiles", "array<vec4<f32>>"),
            Self::Nodes => ("nodes", "array<vec4<f32>>"),
            Self::Shapes => ("shapes", "array<vec4<f32>>"),
            Self::Dispatches => ("dispatches", "array<u32>"),
        }
    }

    fn buffers(self, all: &Buffers) -> &[Buffer] {
        use std::slice::from_ref;
        match self {
            Self::Params => from_ref(&all.params),
            Self::Materials => from_ref(&all.materials),
            Self::Particles => &all.particles,
            Self::Identity => from_ref(&all.identity),
            Self::Lists => from_ref(&all.lists),
            Self::Cells | Self::SharedCells => from_ref(&all.cells),
            Self::Coords => from_ref(&all.coords),
            Self::Links => from_ref(&all.links),
            Self::Atomics | Self::Counters => from_ref(&all.atomics),
            Self::Tiles => from_ref(&all.tiles),
            Self::Nodes => from_ref(&all.nodes),
            Self::Shapes => from_ref(&all.shapes),
            Self::Dispatches => from_ref(&all.dispatches),
        }
    }
}

/// How many workgroups a pass has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Size {
    /// One thread for each particle, in groups of that size.
    Particles(u32),
    /// One group for each occupied block.
    Occupied,
    /// One group for each block of nodes.
    Reached,
    /// Some groups that share the work on blocks.
    Blocks,
}

/// What a pass is made of.
pub(crate) struct Plan {
    pub(crate) name: &'static str,
    pub(crate) entry: &'static str,
    pub(crate) sources: &'static [&'static str],
    /// What it only reads, and what it also writes.
    pub(crate) reads: &'static [Sees],
    pub(crate) writes: &'static [Sees],
    pub(crate) size: Size,
}

/// A shader with its buffers.
#[derive(Debug)]
pub(crate) struct Pass {
    pub(crate) name: &'static str,
    pub(crate) size: Size,
    pub(crate) pipeline: ComputePipeline,
    pub(crate) group: BindGroup,
}

impl Pass {
    pub(crate) fn new(gpu: &Gpu, buffers: &Buffers, constants: &Constants, plan: &Plan) -> Self {
        Self::with(gpu, buffers, constants, plan, None)
    }

    /// With a second group of bindings, which the shader declares itself.
    pub(crate) fn with(
        gpu: &Gpu,
        buffers: &Buffers,
        constants: &Constants,
        plan: &Plan,
        more: Option<&wgpu::BindGroupLayout>,
    ) -> Self {
        let mut text = constants.declare();
        let (mut entries, mut bound) = (Vec::new(), Vec::new());
        let seen = plan.reads.iter().map(|&r| (r, false));
        for (what, writes) in seen.chain(plan.writes.iter().map(|&w| (w, true))) {
            let (name, kind) = what.declaration();
            let uniform = matches!(what, Sees::Params | Sees::Materials);
            let space = match (uniform, writes) {
                (true, _) => "uniform",
                (false, false) => "storage, read",
                (false, true) => "storage, read_write",
            };
            let several = what == Sees::Particles;
            for (k, buffer) in what.buffers(buffers).iter().enumerate() {
                let binding = entries.len() as u32;
                let suffix = if several { format!("_{k}") } else { String::new() };
                // Writing to a string cannot fail.
                let _ = writeln!(
                    text,
                    "@group(0) @binding({binding}) var<{space}> {name}{suffix}: {kind};"
                );
                let ty = if uniform {
                    BufferBindingType::Uniform
                } else {
                    BufferBindingType::Storage { read_only: !writes }
                };
                let per_step = what == Sees::Params;
                entries.push(wgpu::BindGroupLayoutEntry {
                    binding,
                    visibility: ShaderStages::COMPUTE,
                    ty: BindingType::Buffer {
                        ty,
                        has_dynamic_offset: per_step,
                        min_binding_size: None,
                    },
                    count: None,
                });
                let size = per_step.then(|| std::num::NonZeroU64::new(PARAMS_SIZE)).flatten();
                let resource = wgpu::BufferBinding { buffer, offset: 0, size };
                bound.push(wgpu::BindGroupEntry {
                    binding,
                    resource: wgpu::BindingResource::Buffer(resource),
                });
            }
            match what {
                Sees::Particles => text.push_str(&access(constants.get("SEGMENTS"), writes)),
                Sees::Atomics => {
                    text.push_str("fn counter(i: u32) -> u32 { return atomicLoad(&atomics[i]); }\n")
                }
                Sees::Counters => {
                    text.push_str("fn counter(i: u32) -> u32 { return atomics[i]; }\n");
                }
                _ => {}
            }
        }
        text.push_str(include_str!("passes/common.wgsl"));
        plan.sources.iter().for_each(|source| text.push_str(source));
        let text = constants.expand(&text);
        let label = Some(plan.name);
        let source = wgpu::ShaderSource::Wgsl(text.into());
        let module = crate::unchecked::module(&gpu.device, gpu.checked, label, source);
        let layout = gpu.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label,
            entries: &entries,
        });
        let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label,
            layout: &layout,
            entries: &bound,
        });
        let layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label,
            bind_group_layouts: &[Some(&layout), more][..1 + usize::from(more.is_some())],
            immediate_size: 0,
        });
        let pipeline = gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label,
            layout: Some(&layout),
            module: &module,
            entry_point: Some(plan.entry),
            compilation_options: wgpu::PipelineCompilationOptions {
                zero_initialize_workgroup_memory: false,
                ..Default::default()
            },
            cache: None,
        });
        Self { name: plan.name, size: plan.size, pipeline, group }
    }
}

/// Functions that read and write a row of a particle, whichever part of the buffer it is in.
fn access(segments: u32, writes: bool) -> String {
    let each = |what: &dyn Fn(u32) -> String| {
        if segments == 1 {
            return format!("let at = row * SEGMENT + i; {}", what(0));
        }
        let cases: String = (1..segments)
            .map(|k| format!("case {k}u: {{ {} }} ", what(k)))
            .chain([format!("default: {{ {} }}", what(0))])
            .collect();
        format!("let at = row * SEGMENT + i % SEGMENT; switch i / SEGMENT {{ {cases} }}")
    };
    let load = each(&|k| format!("return particles_{k}[at];"));
    let mut text = format!("fn load(row: u32, i: u32) -> vec4<u32> {{ {load} }}\n");
    if writes {
        let store = each(&|k| format!("particles_{k}[at] = value;"));
        let _ = writeln!(text, "fn store(row: u32, i: u32, value: vec4<u32>) {{ {store} }}");
    }
    text
}
