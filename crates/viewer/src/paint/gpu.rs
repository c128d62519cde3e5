//! Pipelines, buffers and textures of the painter.

use super::drawing::Drawing;
use super::pipelines::Pipelines;
use super::targets::Targets;
use super::uniforms::{Shot, Uniforms};
use eframe::wgpu::{
    self, BindGroup, Buffer, BufferUsages, Device, Queue, RenderPass, RenderPipeline, TextureFormat,
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
        let pipelines = Pipelines::new(device, &layout, &targets, window);
        Self {
            encode: !window.is_srgb(),
            uniforms,
            uniform_group,
            pipelines,
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
