//! Render targets.

use super::gpu::{DEPTH, LIGHT, NORMAL};
use eframe::wgpu::{
    self, BindGroup, BindGroupLayout, Device, RenderPass, TextureFormat, TextureUsages, TextureView,
};

/// Texels on a side of the shadow map.
const SHADOW_SIZE: u32 = 2048;

/// Samples and shadow map.
pub(super) struct Targets {
    size: [u32; 2],
    light: TextureView,
    normal: TextureView,
    depth: TextureView,
    shadow: TextureView,
    shadow_layout: BindGroupLayout,
    shadow_group: BindGroup,
    sample_layout: BindGroupLayout,
    sample_group: BindGroup,
}

impl Targets {
    pub(super) fn new(device: &Device) -> Self {
        let shadow = texture(device, "shadows", [SHADOW_SIZE; 2], DEPTH);
        let shadow_layout = layout(
            device,
            &[
                texture_binding(wgpu::TextureSampleType::Depth),
                wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Comparison),
            ],
        );
        let sampler = device.create_sampler(&wgpu::SamplerDescriptor {
            label: Some("shadows"),
            mag_filter: wgpu::FilterMode::Linear,
            min_filter: wgpu::FilterMode::Linear,
            compare: Some(wgpu::CompareFunction::LessEqual),
            ..wgpu::SamplerDescriptor::default()
        });
        let shadow_group = group(
            device,
            &shadow_layout,
            &[
                wgpu::BindingResource::TextureView(&shadow),
                wgpu::BindingResource::Sampler(&sampler),
            ],
        );
        let plain = || texture_binding(wgpu::TextureSampleType::Float { filterable: false });
        let sample_layout = layout(device, &[plain(), plain(), plain()]);
        let size = [1, 1];
        let views = sample_views(device, size);
        let sample_group = sample_group_of(device, &sample_layout, &views);
        let [light, normal, depth] = views;
        Self {
            size,
            light,
            normal,
            depth,
            shadow,
            shadow_layout,
            shadow_group,
            sample_layout,
            sample_group,
        }
    }

    /// Allocates targets for `samples` samples.
    pub(super) fn resize(&mut self, device: &Device, size: [u32; 2]) {
        if size != self.size {
            let views = sample_views(device, size);
            self.sample_group = sample_group_of(device, &self.sample_layout, &views);
            [self.light, self.normal, self.depth] = views;
            self.size = size;
        }
    }

    pub(super) fn shadow_layout(&self) -> &BindGroupLayout {
        &self.shadow_layout
    }

    pub(super) fn shadow_group(&self) -> &BindGroup {
        &self.shadow_group
    }

    pub(super) fn sample_layout(&self) -> &BindGroupLayout {
        &self.sample_layout
    }

    pub(super) fn sample_group(&self) -> &BindGroup {
        &self.sample_group
    }

    pub(super) fn begin_samples<'e>(
        &self,
        encoder: &'e mut wgpu::CommandEncoder,
    ) -> RenderPass<'e> {
        let color = |view| {
            Some(wgpu::RenderPassColorAttachment {
                view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations {
                    load: wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT),
                    store: wgpu::StoreOp::Store,
                },
            })
        };
        encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("samples"),
            color_attachments: &[color(&self.light), color(&self.normal)],
            // Reversed: nothing is at zero.
            depth_stencil_attachment: Some(depth(&self.depth, 0.0)),
            ..wgpu::RenderPassDescriptor::default()
        })
    }

    pub(super) fn begin_shadows<'e>(
        &self,
        encoder: &'e mut wgpu::CommandEncoder,
    ) -> RenderPass<'e> {
        encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("shadows"),
            color_attachments: &[],
            depth_stencil_attachment: Some(depth(&self.shadow, 1.0)),
            ..wgpu::RenderPassDescriptor::default()
        })
    }
}

fn depth(view: &TextureView, clear: f32) -> wgpu::RenderPassDepthStencilAttachment<'_> {
    wgpu::RenderPassDepthStencilAttachment {
        view,
        depth_ops: Some(wgpu::Operations {
            load: wgpu::LoadOp::Clear(clear),
            store: wgpu::StoreOp::Store,
        }),
        stencil_ops: None,
    }
}

fn texture(device: &Device, label: &str, size: [u32; 2], format: TextureFormat) -> TextureView {
    let texture = device.create_texture(&wgpu::TextureDescriptor {
        label: Some(label),
        size: wgpu::Extent3d { width: size[0], height: size[1], depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: TextureUsages::RENDER_ATTACHMENT | TextureUsages::TEXTURE_BINDING,
        view_formats: &[],
    });
    texture.create_view(&wgpu::TextureViewDescriptor::default())
}

fn sample_views(device: &Device, size: [u32; 2]) -> [TextureView; 3] {
    [("light", LIGHT), ("normals", NORMAL), ("depth", DEPTH)]
        .map(|(label, format)| texture(device, label, size, format))
}

fn sample_group_of(
    device: &Device,
    layout: &BindGroupLayout,
    [light, normal, depth]: &[TextureView; 3],
) -> BindGroup {
    group(device, layout, &[light, normal, depth].map(wgpu::BindingResource::TextureView))
}

fn texture_binding(sample_type: wgpu::TextureSampleType) -> wgpu::BindingType {
    wgpu::BindingType::Texture {
        sample_type,
        view_dimension: wgpu::TextureViewDimension::D2,
        multisampled: false,
    }
}

fn layout(device: &Device, bindings: &[wgpu::BindingType]) -> BindGroupLayout {
    let entries: Vec<_> = (0..)
        .zip(bindings)
        .map(|(binding, &ty)| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::FRAGMENT,
            ty,
            count: None,
        })
        .collect();
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: None,
        entries: &entries,
    })
}

fn group(
    device: &Device,
    layout: &BindGroupLayout,
    resources: &[wgpu::BindingResource<'_>],
) -> BindGroup {
    let entries: Vec<_> = (0..)
        .zip(resources)
        .map(|(binding, resource)| wgpu::BindGroupEntry { binding, resource: resource.clone() })
        .collect();
    device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries: &entries })
}
