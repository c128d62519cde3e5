//! The pipelines of the painter: shaders and their states.

use super::drawing::{Ball, Corner, Edge};
use super::gpu::{DEPTH, LIGHT, NORMAL};
use super::targets::Targets;
use eframe::wgpu::{self, Device, RenderPipeline, TextureFormat, vertex_attr_array};

/// All pipelines.
pub(super) struct Pipelines {
    pub(super) background: RenderPipeline,
    pub(super) floor: RenderPipeline,
    pub(super) faces: RenderPipeline,
    pub(super) balls: RenderPipeline,
    pub(super) edges: RenderPipeline,
    pub(super) planar_faces: RenderPipeline,
    pub(super) discs: RenderPipeline,
    pub(super) planar_edges: RenderPipeline,
    pub(super) face_shadows: RenderPipeline,
    pub(super) ball_shadows: RenderPipeline,
    pub(super) compose: RenderPipeline,
}

/// How a pipeline treats depth and what is drawn already.
#[derive(Clone, Copy)]
struct Rule {
    compare: wgpu::CompareFunction,
    write: bool,
    blend: bool,
}

/// Nearer things hide what is further away. Depth is reversed.
const SOLID: Rule = Rule { compare: wgpu::CompareFunction::Greater, write: true, blend: false };
/// Lines over what is not nearer.
const LINES: Rule =
    Rule { compare: wgpu::CompareFunction::GreaterEqual, write: false, blend: true };
/// One over the other, in the order of drawing.
const PLANAR: Rule = Rule { compare: wgpu::CompareFunction::Always, write: false, blend: true };
const BACK: Rule = Rule { compare: wgpu::CompareFunction::Always, write: false, blend: false };

impl Pipelines {
    /// The pipelines for a window of the given format.
    pub(super) fn new(
        device: &Device,
        view: &wgpu::BindGroupLayout,
        targets: &Targets,
        window: TextureFormat,
    ) -> Self {
        Maker::new(device, view, targets, window).pipelines()
    }
}

/// Makes pipelines.
struct Maker<'a> {
    device: &'a Device,
    things: wgpu::ShaderModule,
    compose: wgpu::ShaderModule,
    with_shadows: wgpu::PipelineLayout,
    for_shadows: wgpu::PipelineLayout,
    with_samples: wgpu::PipelineLayout,
    window: TextureFormat,
}

impl<'a> Maker<'a> {
    fn new(
        device: &'a Device,
        view: &wgpu::BindGroupLayout,
        targets: &Targets,
        window: TextureFormat,
    ) -> Self {
        let shader = |label, source: &str| {
            let source = format!("{}{source}", include_str!("view.wgsl"));
            device.create_shader_module(wgpu::ShaderModuleDescriptor {
                label: Some(label),
                source: wgpu::ShaderSource::Wgsl(source.into()),
            })
        };
        let layout = |groups: &[Option<&wgpu::BindGroupLayout>]| {
            device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: None,
                bind_group_layouts: groups,
                immediate_size: 0,
            })
        };
        Self {
            device,
            things: shader("things", include_str!("things.wgsl")),
            compose: shader("compose", include_str!("compose.wgsl")),
            with_shadows: layout(&[Some(view), Some(targets.shadow_layout())]),
            for_shadows: layout(&[Some(view)]),
            with_samples: layout(&[Some(view), Some(targets.sample_layout())]),
            window,
        }
    }

    fn pipelines(&self) -> Pipelines {
        let ball = wgpu::VertexBufferLayout {
            array_stride: size_of::<Ball>() as u64,
            step_mode: wgpu::VertexStepMode::Instance,
            attributes: &vertex_attr_array![0 => Float32x4, 1 => Unorm8x4],
        };
        let corner = wgpu::VertexBufferLayout {
            array_stride: size_of::<Corner>() as u64,
            step_mode: wgpu::VertexStepMode::Vertex,
            attributes: &vertex_attr_array![0 => Float32x3, 1 => Float32x3, 2 => Unorm8x4],
        };
        let edge = wgpu::VertexBufferLayout {
            array_stride: size_of::<Edge>() as u64,
            step_mode: wgpu::VertexStepMode::Instance,
            attributes: &vertex_attr_array![0 => Float32x3, 1 => Float32x3, 2 => Unorm8x4],
        };
        let ball = || Some(ball.clone());
        let corner = || Some(corner.clone());
        let edge = || Some(edge.clone());
        Pipelines {
            background: self.samples(["screen_vertex", "background_fragment"], None, BACK),
            floor: self.samples(["floor_vertex", "floor_fragment"], None, SOLID),
            faces: self.samples(["face_vertex", "face_fragment"], corner(), SOLID),
            balls: self.samples(["sphere_vertex", "sphere_fragment"], ball(), SOLID),
            edges: self.samples(["edge_vertex", "edge_fragment"], edge(), LINES),
            planar_faces: self.samples(["face_vertex", "face_fragment"], corner(), BACK),
            discs: self.samples(["sphere_vertex", "disc_fragment"], ball(), PLANAR),
            planar_edges: self.samples(["edge_vertex", "edge_fragment"], edge(), PLANAR),
            face_shadows: self.shadows(["face_shadow_vertex", "face_shadow_fragment"], corner()),
            ball_shadows: self.shadows(["sphere_shadow_vertex", "sphere_shadow_fragment"], ball()),
            compose: self.make(
                &self.compose,
                &self.with_samples,
                ["compose_vertex", "compose_fragment"],
                None,
                None,
                &[Some(self.window.into())],
            ),
        }
    }

    /// A pipeline that draws samples.
    fn samples(
        &self,
        entries: [&str; 2],
        array: Option<wgpu::VertexBufferLayout<'_>>,
        rule: Rule,
    ) -> RenderPipeline {
        let over = wgpu::BlendState {
            color: wgpu::BlendComponent {
                src_factor: wgpu::BlendFactor::SrcAlpha,
                dst_factor: wgpu::BlendFactor::OneMinusSrcAlpha,
                operation: wgpu::BlendOperation::Add,
            },
            // Alpha holds the kind of the object, which does not change.
            alpha: wgpu::BlendComponent {
                src_factor: wgpu::BlendFactor::Zero,
                dst_factor: wgpu::BlendFactor::One,
                operation: wgpu::BlendOperation::Add,
            },
        };
        // The same for both: WebGL2 has one way of blending for all. What blends has normals without
        // weight.
        let targets = [LIGHT, NORMAL].map(|format| {
            Some(wgpu::ColorTargetState {
                format,
                blend: rule.blend.then_some(over),
                write_mask: wgpu::ColorWrites::ALL,
            })
        });
        let depth = depth_state(rule.compare, rule.write);
        self.make(&self.things, &self.with_shadows, entries, array, Some(depth), &targets)
    }

    /// A pipeline that draws the shadow map.
    fn shadows(
        &self,
        entries: [&str; 2],
        array: Option<wgpu::VertexBufferLayout<'_>>,
    ) -> RenderPipeline {
        let depth = depth_state(wgpu::CompareFunction::Less, true);
        self.make(&self.things, &self.for_shadows, entries, array, Some(depth), &[])
    }

    fn make(
        &self,
        module: &wgpu::ShaderModule,
        layout: &wgpu::PipelineLayout,
        [vertex, fragment]: [&str; 2],
        array: Option<wgpu::VertexBufferLayout<'_>>,
        depth_stencil: Option<wgpu::DepthStencilState>,
        targets: &[Option<wgpu::ColorTargetState>],
    ) -> RenderPipeline {
        // Quads are strips of four corners; faces come as lists of triangles.
        let is_strip = array.as_ref().is_none_or(|a| a.step_mode == wgpu::VertexStepMode::Instance);
        let topology = if is_strip {
            wgpu::PrimitiveTopology::TriangleStrip
        } else {
            wgpu::PrimitiveTopology::TriangleList
        };
        let buffers: Vec<_> = array.into_iter().map(Some).collect();
        self.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some(vertex),
            layout: Some(layout),
            vertex: wgpu::VertexState {
                module,
                entry_point: Some(vertex),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                buffers: &buffers,
            },
            primitive: wgpu::PrimitiveState { topology, ..wgpu::PrimitiveState::default() },
            depth_stencil,
            multisample: wgpu::MultisampleState::default(),
            fragment: Some(wgpu::FragmentState {
                module,
                entry_point: Some(fragment),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                targets,
            }),
            multiview_mask: None,
            cache: None,
        })
    }
}

fn depth_state(compare: wgpu::CompareFunction, write: bool) -> wgpu::DepthStencilState {
    wgpu::DepthStencilState {
        format: DEPTH,
        depth_write_enabled: Some(write),
        depth_compare: Some(compare),
        stencil: wgpu::StencilState::default(),
        bias: wgpu::DepthBiasState::default(),
    }
}
