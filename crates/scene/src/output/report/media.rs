//! Pictures and movies as text, small enough for one file.

/// Pictures wider than this are halved until they are not: a third of the page, twice the pixels.
const PICTURE_WIDTH: u32 = 960;

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Base64 with padding (RFC 4648, section 4).
pub(super) fn base64(bytes: &[u8]) -> String {
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
pub(super) fn shrunk(png: &[u8]) -> Vec<u8> {
    smaller(png).unwrap_or_else(|| png.to_vec())
}

/// 8-bit pixels, row by row.
struct Pixels {
    width: usize,
    height: usize,
    channels: usize,
    bytes: Vec<u8>,
}

fn smaller(png: &[u8]) -> Option<Vec<u8>> {
    let mut decoder = png::Decoder::new(std::io::Cursor::new(png));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().ok()?;
    if reader.info().width <= PICTURE_WIDTH {
        return None;
    }
    // A small file can claim a huge picture; no picture of ours has so many pixels.
    let length = reader.output_buffer_size().filter(|&length| length <= 1 << 28)?;
    let mut bytes = vec![0; length];
    let frame = reader.next_frame(&mut bytes).ok()?;
    let mut pixels = Pixels {
        width: frame.width as usize,
        height: frame.height as usize,
        channels: frame.color_type.samples(),
        bytes,
    };
    while pixels.width > PICTURE_WIDTH as usize && pixels.height > 1 {
        pixels = pixels.halved();
    }
    pixels.encode(frame.color_type).filter(|small| small.len() < png.len())
}

impl Pixels {
    /// Each pixel is the mean of four; an odd last row or column is dropped.
    fn halved(&self) -> Self {
        let (width, height, channels) = (self.width / 2, self.height / 2, self.channels);
        let mut bytes = Vec::with_capacity(width * height * channels);
        for y in 0..height {
            for x in 0..width {
                for c in 0..channels {
                    let at = |dx, dy| {
                        let pixel = (2 * y + dy) * self.width + 2 * x + dx;
                        u32::from(self.bytes[pixel * channels + c])
                    };
                    let sum = at(0, 0) + at(1, 0) + at(0, 1) + at(1, 1);
                    bytes.push(((sum + 2) / 4) as u8);
                }
            }
        }
        Self { width, height, channels, bytes }
    }

    fn encode(&self, colour: png::ColorType) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        let mut encoder = png::Encoder::new(&mut out, self.width as u32, self.height as u32);
        encoder.set_color(colour);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header().ok()?;
        writer.write_image_data(&self.bytes).ok()?;
        writer.finish().ok()?;
        Some(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(width: usize, height: usize) -> Vec<u8> {
        let value = |i: usize| if i.is_multiple_of(3) { (i * 7919 % 251) as u8 } else { 100 };
        let bytes = (0..width * height * 3).map(value).collect();
        Pixels { width, height, channels: 3, bytes }.encode(png::ColorType::Rgb).unwrap()
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
        let reader = png::Decoder::new(std::io::Cursor::new(&wide)).read_info().unwrap();
        assert_eq!((reader.info().width, reader.info().height), (960, 15));
    }

    #[test]
    fn halving_is_a_mean() {
        let pixels = Pixels { width: 2, height: 2, channels: 1, bytes: vec![0, 10, 20, 31] };
        assert_eq!(pixels.halved().bytes, [15]);
    }

    #[test]
    fn a_broken_picture_stays_as_it_is() {
        let wide = picture(1300, 8);
        for bytes in [&wide[..wide.len() / 2], b"not a png"] {
            assert_eq!(shrunk(bytes), bytes);
        }
    }
}
