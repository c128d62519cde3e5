//! Any bytes are a picture or an error; a picture that is written and read again is the same.
#![no_main]

use lawine_render::Image;
use libfuzzer_sys::fuzz_target;
use std::io::Cursor;

fuzz_target!(|bytes: &[u8]| {
    match Image::decode_png(Cursor::new(bytes)) {
        Ok(image) => {
            let (width, height) = (image.width() as usize, image.height() as usize);
            assert_eq!(image.rgb().len(), 3 * width * height);
            if width * height < 4096 {
                let mut written = Vec::new();
                image.encode_png(&mut written).expect("a vector takes any bytes");
                let again = Image::decode_png(Cursor::new(written)).expect("what was written");
                assert_eq!(again.rgb(), image.rgb());
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
