//! Functions of the web page: start on a canvas, download, choose a file, show its status.

use crate::app::{Fatal, Options, Window, device_descriptor};
use eframe::egui_wgpu::WgpuSetup;
use eframe::wgpu;
use lawine_scene::file::Source;
use std::sync::Arc;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::{Closure, JsValue};
use web_sys::{
    Blob, Document, HtmlAnchorElement, HtmlCanvasElement, HtmlInputElement, Url, UrlSearchParams,
};

fn document() -> Result<Document, JsValue> {
    let window = web_sys::window().ok_or("there is no window")?;
    window.document().ok_or_else(|| JsValue::from_str("there is no document"))
}

/// Starts the viewer on the canvas of the page. Its address may name a built-in scene, a way to draw, and
/// what computes snow: `?scene=drop&backend=webgl&device=cpu`. With `selftest=snow` snow on the graphics
/// device is compared with that on the processor.
pub fn main() {
    wasm_bindgen_futures::spawn_local(async {
        if let Err(error) = start().await {
            let text = error.as_string().unwrap_or_else(|| format!("{error:?}"));
            show_status(&format!("The viewer cannot start: {text}"));
        }
    });
}

async fn start() -> Result<(), JsValue> {
    let canvas = document()?.get_element_by_id("canvas").ok_or("there is no canvas")?;
    let canvas: HtmlCanvasElement = canvas.dyn_into()?;
    let window = web_sys::window().ok_or("there is no window")?;
    let query = UrlSearchParams::new_with_str(&window.location().search()?)?;
    let options = Options {
        scene: query.get("scene").map(Source::BuiltIn),
        on_gpu: match query.get("device").as_deref() {
            Some("gpu") => Some(true),
            Some("cpu") => Some(false),
            _ => None,
        },
        compares: query.get("selftest").as_deref() == Some("snow"),
        ..Options::default()
    };
    let mut web = eframe::WebOptions::default();
    if let WgpuSetup::CreateNew(setup) = &mut web.wgpu_options.wgpu_setup {
        if query.get("backend").as_deref() == Some("webgl") {
            setup.instance_descriptor.backends = wgpu::Backends::GL;
        }
        let least = Arc::clone(&setup.device_descriptor);
        setup.device_descriptor = Arc::new(move |adapter| match adapter.get_info().backend {
            wgpu::Backend::BrowserWebGpu => device_descriptor(adapter),
            _ => least(adapter),
        });
    }
    let creator: eframe::AppCreator<'static> =
        Box::new(|creation| Ok(Box::new(Window::new(creation, options, Fatal::default()))));
    eframe::WebRunner::new().start(canvas, web, creator).await
}

/// Offers bytes as a download.
pub(crate) fn download(name: &str, bytes: &[u8]) -> Result<(), JsValue> {
    let parts = js_sys::Array::of1(&js_sys::Uint8Array::from(bytes));
    let blob = Blob::new_with_u8_array_sequence(&parts)?;
    let url = Url::create_object_url_with_blob(&blob)?;
    let anchor: HtmlAnchorElement = document()?.create_element("a")?.dyn_into()?;
    anchor.set_href(&url);
    anchor.set_download(name);
    anchor.click();
    Ok(())
}

/// Lets the user choose a file; `chosen` gets its name and bytes.
pub(crate) fn choose_file(
    accept: &str,
    chosen: impl Fn(String, Result<Vec<u8>, String>) + 'static,
) -> Result<(), JsValue> {
    let input: HtmlInputElement = document()?.create_element("input")?.dyn_into()?;
    input.set_type("file");
    input.set_accept(accept);
    let chosen = std::rc::Rc::new(chosen);
    let source = input.clone();
    let listener = Closure::<dyn FnMut()>::new(move || {
        let Some(file) = source.files().and_then(|files| files.get(0)) else { return };
        let chosen = std::rc::Rc::clone(&chosen);
        wasm_bindgen_futures::spawn_local(async move {
            let read = wasm_bindgen_futures::JsFuture::from(file.array_buffer()).await;
            let bytes = read.map(|buffer| js_sys::Uint8Array::new(&buffer).to_vec());
            chosen(file.name(), bytes.map_err(|e| format!("{e:?}")));
        });
    });
    input.set_onchange(Some(listener.as_ref().unchecked_ref()));
    // The page keeps the listener as long as the field lives.
    listener.forget();
    input.click();
    Ok(())
}

/// Tells how things are, for screen readers and tests.
pub(crate) fn show_status(text: &str) {
    let element = document().ok().and_then(|document| document.get_element_by_id("status"));
    if let Some(element) = element
        && element.text_content().as_deref() != Some(text)
    {
        element.set_text_content(Some(text));
    }
}
