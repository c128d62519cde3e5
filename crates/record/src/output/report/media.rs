//! Pictures and movies in base64, for embedding.

use lawine_render::Image;
use std::io::Cursor;

/// Pictures wider than this are halved until they are not: a third of the page, twice the pixels.
const PICTURE_WIDTH: u32 = 960;

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Base64 with padding (RFC 4648, section 4).
pub fn base64(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |i: usize| u32::from(chunk.get(i).copied().unwrap_or(0));
        let word = byte(0) << 16 | byte(1) << 8 | byte(2);
        for (i, shift) in [18, 12, 6, 0].into_iter().enumerate() {
            let sextet = (word >> shift & 63) as usize;
            text.push(if i <= chunk.len() { ALPHABET[sextet] as char } else { '=' });
        }
    }
    text
}

/// The PNG itself or a smaller one with the same content. A picture that cannot be read stays as
/// it is: the browser may know better.
pub fn shrunk(png: &[u8]) -> Vec<u8> {
    smaller(png).unwrap_or_else(|| png.to_vec())
}

fn smaller(png: &[u8]) -> Option<Vec<u8>> {
    let mut image = Image::decode_png(Cursor::new(png)).ok()?;
    if image.width() <= PICTURE_WIDTH {
        return None;
    }
    while image.width() > PICTURE_WIDTH && image.height() > 1 {
        image = image.halved();
    }
    let mut small = Vec::new();
    image.encode_png(&mut small).ok()?;
    Some(small).filter(|small| small.len() < png.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(width: u32, height: u32) -> Vec<u8> {
        let value = |i: u32| if i.is_multiple_of(3) { (i * 7919 % 251) as u8 } else { 100 };
        let rgb = (0..width * height * 3).map(value).collect();
        let mut png = Vec::new();
        Image::from_rgb(width, height, rgb).unwrap().encode_png(&mut png).unwrap();
        png
    }

    #[test]
    fn base64_as_in_the_standard() {
        let known = ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"];
        for (length, expected) in known.into_iter().enumerate() {
            assert_eq!(base64(&b"foobar"[..length]), expected);
        }
        assert_eq!(base64(&[0xff, 0xfe, 0xfd]), "//79");
    }

    #[test]
    fn wide_pictures_are_halved_and_small_ones_kept() {
        let small = picture(640, 4);
        assert_eq!(shrunk(&small), small);
        let wide = shrunk(&picture(1921, 31));
        let image = Image::decode_png(Cursor::new(&wide)).unwrap();
        assert_eq!((image.width(), image.height()), (960, 15));
    }

    #[test]
    fn a_broken_picture_stays_as_it_is() {
        let wide = picture(1300, 8);
        for bytes in [&wide[..wide.len() / 2], b"not a png"] {
            assert_eq!(shrunk(bytes), bytes);
        }
    }
}
