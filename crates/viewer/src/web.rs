//! What only a page can do: start on a canvas, download, choose a file, tell its status.

use crate::app::{Fatal, Options, Window};
use crate::files::Files;
use crate::script::Script;
use lawine_scene::file::Source;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::{Closure, JsValue, wasm_bindgen};
use web_sys::{Blob, Document, HtmlAnchorElement, HtmlCanvasElement, HtmlInputElement, Url};

fn document() -> Result<Document, JsValue> {
    let window = web_sys::window().ok_or("there is no window")?;
    window.document().ok_or_else(|| JsValue::from_str("there is no document"))
}

/// Starts the viewer on the canvas of the page. `scene` is the name of a built-in scene, or empty;
/// `backend` is `webgl`, or empty for the best there is.
#[wasm_bindgen]
pub async fn start(
    canvas: HtmlCanvasElement,
    scene: String,
    backend: String,
) -> Result<(), JsValue> {
    let options = Options {
        scene: (!scene.is_empty()).then_some(Source::BuiltIn(scene)),
        files: Files::default(),
        script: Script::default(),
    };
    let mut web = eframe::WebOptions::default();
    if let (eframe::egui_wgpu::WgpuSetup::CreateNew(setup), "webgl") =
        (&mut web.wgpu_options.wgpu_setup, backend.as_str())
    {
        setup.instance_descriptor.backends = eframe::wgpu::Backends::GL;
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
