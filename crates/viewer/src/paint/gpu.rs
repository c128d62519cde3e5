//! Pipelines, buffers and textures of the painter.

use super::drawing::{Ball, Corner, Drawing, Edge};
use super::targets::Targets;
use super::uniforms::{Shot, Uniforms};
use eframe::wgpu::{
    self, BindGroup, Buffer, BufferUsages, Device, Queue, RenderPass, RenderPipeline,
    TextureFormat, vertex_attr_array,
};

/// What the samples hold: light and normals.
pub(super) const LIGHT: TextureFormat = TextureFormat::Rgba8UnormSrgb;
pub(super) const NORMAL: TextureFormat = TextureFormat::Rgba8Unorm;
pub(super) const DEPTH: TextureFormat = TextureFormat::Depth32Float;

/// A vertex buffer that grows with its contents, as far as the device allows.
struct Array {
    buffer: Buffer,
    count: u32,
}

impl Array {
    fn new(device: &Device) -> Self {
        Self { buffer: vertex_buffer(device, 64), count: 0 }
    }

    fn fill<T: bytemuck::Pod>(&mut self, device: &Device, queue: &Queue, items: &[T]) {
        let most = device.limits().max_buffer_size;
        let items = &items[..items.len().min((most / size_of::<T>() as u64) as usize)];
        let bytes: &[u8] = bytemuck::cast_slice(items);
        if bytes.len() as u64 > self.buffer.size() {
            let room = (bytes.len() as u64 * 5 / 4).next_multiple_of(64);
            self.buffer = vertex_buffer(device, room.min(most));
        }
        queue.write_buffer(&self.buffer, 0, bytes);
        self.count = items.len() as u32;
    }
}

fn vertex_buffer(device: &Device, size: u64) -> Buffer {
    device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("things"),
        size,
        usage: BufferUsages::VERTEX | BufferUsages::COPY_DST,
        mapped_at_creation: false,
    })
}

/// Everything the painter keeps on the device.
pub struct Gpu {
    encode: bool,
    uniforms: Buffer,
    uniform_group: BindGroup,
    targets: Targets,
    balls: Array,
    corners: Array,
    edges: Array,
    /// Number of the drawing that the arrays hold.
    drawn: u64,
    pipelines: Pipelines,
}

struct Pipelines {
    background: RenderPipeline,
    floor: RenderPipeline,
    faces: RenderPipeline,
    balls: RenderPipeline,
    edges: RenderPipeline,
    planar_faces: RenderPipeline,
    discs: RenderPipeline,
    planar_edges: RenderPipeline,
    face_shadows: RenderPipeline,
    ball_shadows: RenderPipeline,
    compose: RenderPipeline,
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

impl Gpu {
    /// Prepares the device to paint on windows of the given format.
    pub fn new(device: &Device, window: TextureFormat) -> Self {
        let uniforms = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("view"),
            size: size_of::<Uniforms>() as u64,
            usage: BufferUsages::UNIFORM | BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("view"),
            entries: &[wgpu::BindGroupLayoutEntry {
                binding: 0,
                visibility: wgpu::ShaderStages::VERTEX_FRAGMENT,
                ty: wgpu::BindingType::Buffer {
                    ty: wgpu::BufferBindingType::Uniform,
                    has_dynamic_offset: false,
                    min_binding_size: None,
                },
                count: None,
            }],
        });
        let uniform_group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("view"),
            layout: &layout,
            entries: &[wgpu::BindGroupEntry { binding: 0, resource: uniforms.as_entire_binding() }],
        });
        let targets = Targets::new(device);
        let maker = Maker::new(device, &layout, &targets, window);
        Self {
            encode: !window.is_srgb(),
            uniforms,
            uniform_group,
            pipelines: maker.pipelines(),
            targets,
            balls: Array::new(device),
            corners: Array::new(device),
            edges: Array::new(device),
            drawn: 0,
        }
    }

    /// Draws the samples, as many of the things as the device has room for.
    pub fn draw(
        &mut self,
        device: &Device,
        queue: &Queue,
        encoder: &mut wgpu::CommandEncoder,
        drawing: &Drawing,
        shot: &Shot,
    ) {
        let uniforms = shot.uniforms(drawing, self.encode);
        queue.write_buffer(&self.uniforms, 0, bytemuck::bytes_of(&uniforms));
        if self.drawn != drawing.number {
            self.balls.fill(device, queue, &drawing.balls);
            self.corners.fill(device, queue, &drawing.corners);
            self.edges.fill(device, queue, &drawing.edges);
            self.drawn = drawing.number;
        }
        self.targets.resize(device, shot.samples());
        if shot.shadows && !shot.is_planar() {
            self.draw_shadows(encoder, drawing);
        }
        let mut pass = self.targets.begin_samples(encoder);
        pass.set_bind_group(0, &self.uniform_group, &[]);
        pass.set_bind_group(1, self.targets.shadow_group(), &[]);
        let p = &self.pipelines;
        pass.set_pipeline(&p.background);
        pass.draw(0..3, 0..1);
        let (faces, balls, edges) = if shot.is_planar() {
            (&p.planar_faces, &p.discs, &p.planar_edges)
        } else {
            (&p.faces, &p.balls, &p.edges)
        };
        if shot.floor.is_some() && !shot.is_planar() {
            pass.set_pipeline(&p.floor);
            pass.draw(0..4, 0..1);
        }
        self.draw_faces(&mut pass, faces);
        self.draw_balls(&mut pass, balls, drawing);
        pass.set_pipeline(edges);
        pass.set_vertex_buffer(0, self.edges.buffer.slice(..));
        pass.draw(0..4, 0..self.edges.count);
    }

    fn draw_shadows(&self, encoder: &mut wgpu::CommandEncoder, drawing: &Drawing) {
        let mut pass = self.targets.begin_shadows(encoder);
        pass.set_bind_group(0, &self.uniform_group, &[]);
        self.draw_faces(&mut pass, &self.pipelines.face_shadows);
        self.draw_balls(&mut pass, &self.pipelines.ball_shadows, drawing);
    }

    fn draw_faces(&self, pass: &mut RenderPass<'_>, pipeline: &RenderPipeline) {
        pass.set_pipeline(pipeline);
        pass.set_vertex_buffer(0, self.corners.buffer.slice(..));
        pass.draw(0..self.corners.count, 0..1);
    }

    fn draw_balls(&self, pass: &mut RenderPass<'_>, pipeline: &RenderPipeline, drawing: &Drawing) {
        let there = drawing.there.as_ref().map(|balls| (&balls.buffer, balls.count));
        let (buffer, count) = there.unwrap_or((&self.balls.buffer, self.balls.count));
        pass.set_pipeline(pipeline);
        pass.set_vertex_buffer(0, buffer.slice(..));
        pass.draw(0..4, 0..count);
    }

    /// Puts the picture on the window.
    pub fn compose(&self, pass: &mut RenderPass<'_>) {
        pass.set_pipeline(&self.pipelines.compose);
        pass.set_bind_group(0, &self.uniform_group, &[]);
        pass.set_bind_group(1, self.targets.sample_group(), &[]);
        pass.draw(0..3, 0..1);
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
            // Alpha says what kind of thing is seen, and that does not change.
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
