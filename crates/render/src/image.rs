//! Finished pictures as bytes, and PNG files.

use std::fs::File;
use std::io::{BufRead, BufReader, Seek, Write};
use std::path::Path;

use crate::RenderError;
use crate::atomic::AtomicFile;

/// A finished picture: rows from top to bottom, three bytes (sRGB) a pixel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    width: u32,
    height: u32,
    rgb: Vec<u8>,
}

impl Image {
    /// A black picture.
    #[must_use]
    pub fn new(width: u32, height: u32) -> Self {
        Self { width, height, rgb: vec![0; width as usize * height as usize * 3] }
    }

    /// A picture from its bytes.
    ///
    /// # Errors
    /// When there are not exactly three bytes a pixel.
    pub fn from_rgb(width: u32, height: u32, rgb: Vec<u8>) -> Result<Self, RenderError> {
        if rgb.len() != width as usize * height as usize * 3 {
            let allowed = format!("needs three bytes a pixel, got {} bytes", rgb.len());
            return Err(RenderError::Size { width, height, allowed });
        }
        Ok(Self { width, height, rgb })
    }

    /// Width [px].
    #[must_use]
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Height [px].
    #[must_use]
    pub fn height(&self) -> u32 {
        self.height
    }

    /// All bytes, row by row from the top.
    #[must_use]
    pub fn rgb(&self) -> &[u8] {
        &self.rgb
    }

    /// All bytes, to be changed.
    pub fn rgb_mut(&mut self) -> &mut [u8] {
        &mut self.rgb
    }

    /// The pixel in column `x` from the left and row `y` from the top.
    ///
    /// # Panics
    /// When the pixel lies outside of the picture.
    #[must_use]
    pub fn pixel(&self, x: u32, y: u32) -> [u8; 3] {
        assert!(x < self.width && y < self.height, "pixel ({x}, {y}) is outside of the picture");
        let at = (y as usize * self.width as usize + x as usize) * 3;
        [self.rgb[at], self.rgb[at + 1], self.rgb[at + 2]]
    }

    /// A picture of half the size: each pixel is the mean of four, an odd last row or column is
    /// dropped.
    #[must_use]
    pub fn halved(&self) -> Self {
        let mut half = Self::new(self.width / 2, self.height / 2);
        let (row, half_row) = (3 * self.width as usize, 3 * half.width as usize);
        for y in 0..half.height as usize {
            for x in 0..half_row {
                let at = 2 * y * row + x / 3 * 6 + x % 3;
                let sum: u32 = [at, at + 3, at + row, at + row + 3]
                    .into_iter()
                    .map(|i| u32::from(self.rgb[i]))
                    .sum();
                half.rgb[y * half_row + x] = ((sum + 2) / 4) as u8;
            }
        }
        half
    }

    /// Writes a PNG file. The file appears only when it is complete.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write_png(&self, path: impl AsRef<Path>) -> Result<(), RenderError> {
        let path = path.as_ref();
        let mut file = AtomicFile::create(path).map_err(RenderError::io(path))?;
        self.encode(&mut file).map_err(|error| coding(path, error))?;
        file.commit().map_err(RenderError::io(path))
    }

    /// Writes a PNG picture to any writer.
    ///
    /// # Errors
    /// When the writer fails.
    pub fn encode_png(&self, writer: impl Write) -> Result<(), RenderError> {
        self.encode(writer).map_err(|error| RenderError::Picture(error.to_string()))
    }

    fn encode(&self, writer: impl Write) -> Result<(), png::EncodingError> {
        let mut encoder = png::Encoder::new(writer, self.width, self.height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.rgb)?;
        writer.finish()
    }

    /// Reads a PNG file. Grey pictures become coloured ones and transparency is dropped.
    ///
    /// # Errors
    /// When the file cannot be read or is no PNG picture.
    pub fn read_png(path: impl AsRef<Path>) -> Result<Self, RenderError> {
        let path = path.as_ref();
        let file = File::open(path).map_err(RenderError::io(path))?;
        Self::decode(BufReader::new(file))
            .map_err(|cause| RenderError::Codec { path: path.to_path_buf(), cause })
    }

    /// Width and height of a PNG file [px], from its head alone.
    ///
    /// # Errors
    /// When the file cannot be read or does not begin as a PNG picture does.
    pub fn png_size(path: impl AsRef<Path>) -> Result<[u32; 2], RenderError> {
        let path = path.as_ref();
        let file = File::open(path).map_err(RenderError::io(path))?;
        let reader = png::Decoder::new(BufReader::new(file)).read_info().map_err(|error| {
            RenderError::Codec { path: path.to_path_buf(), cause: error.to_string() }
        })?;
        Ok([reader.info().width, reader.info().height])
    }

    /// Reads a PNG picture from any reader.
    ///
    /// # Errors
    /// When the bytes are no PNG picture.
    pub fn decode_png(reader: impl BufRead + Seek) -> Result<Self, RenderError> {
        Self::decode(reader).map_err(RenderError::Picture)
    }

    fn decode(reader: impl BufRead + Seek) -> Result<Self, String> {
        let mut decoder = png::Decoder::new(reader);
        decoder.set_transformations(png::Transformations::normalize_to_color8());
        let mut reader = decoder.read_info().map_err(|error| error.to_string())?;
        let (width, height) = (reader.info().width, reader.info().height);
        if width.max(height) > LARGEST {
            return Err(format!(
                "the picture has {width} × {height} pixels, and at most {LARGEST} × {LARGEST} are read"
            ));
        }
        let size = reader.output_buffer_size().ok_or("the picture is too large")?;
        let mut bytes = vec![0; size];
        let info = reader.next_frame(&mut bytes).map_err(|error| error.to_string())?;
        bytes.truncate(info.buffer_size());
        let rgb = match info.color_type {
            png::ColorType::Rgb => bytes,
            png::ColorType::Rgba => {
                bytes.chunks_exact(4).flat_map(|p| [p[0], p[1], p[2]]).collect()
            }
            png::ColorType::Grayscale => bytes.iter().flat_map(|&p| [p, p, p]).collect(),
            png::ColorType::GrayscaleAlpha => {
                bytes.chunks_exact(2).flat_map(|p| [p[0], p[0], p[0]]).collect()
            }
            png::ColorType::Indexed => return Err("the palette was not resolved".to_owned()),
        };
        Ok(Self { width: info.width, height: info.height, rgb })
    }
}

/// The most pixels of a side of a picture that is read, as of one that Lawine draws: a header of a few bytes
/// could ask for any amount of memory.
const LARGEST: u32 = 8192;

/// Keeps errors of the disk apart from errors of the format.
fn coding(path: &Path, error: png::EncodingError) -> RenderError {
    let path = path.to_path_buf();
    match error {
        png::EncodingError::IoError(source) => RenderError::Io { path, source },
        other => RenderError::Codec { path, cause: other.to_string() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halving_is_a_mean() {
        let rgb = [0, 10, 20, 31].into_iter().flat_map(|v| [v, 255, 7]).collect();
        let half = Image::from_rgb(2, 2, rgb).unwrap().halved();
        assert_eq!((half.width(), half.height(), half.pixel(0, 0)), (1, 1, [15, 255, 7]));
        assert_eq!(checkered().halved().width(), 3);
    }

    fn checkered() -> Image {
        let rgb = (0..7 * 5 * 3).map(|i| (i * 37 % 256) as u8).collect();
        Image::from_rgb(7, 5, rgb).unwrap()
    }

    #[test]
    fn a_picture_survives_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("p.png");
        checkered().write_png(&path).unwrap();
        assert_eq!(Image::read_png(&path).unwrap(), checkered());
        let size = [checkered().width(), checkered().height()];
        assert_eq!(Image::png_size(&path).unwrap(), size);
    }

    #[test]
    fn a_picture_survives_memory() {
        let mut bytes = Vec::new();
        checkered().encode_png(&mut bytes).unwrap();
        assert_eq!(Image::decode_png(std::io::Cursor::new(bytes)).unwrap(), checkered());
    }

    #[test]
    fn wrong_sizes_and_files_are_errors() {
        assert!(Image::from_rgb(2, 2, vec![0; 11]).is_err());
        let error = Image::read_png("no-such-picture.png").unwrap_err();
        assert!(error.to_string().contains("no-such-picture.png"), "{error}");
        assert!(Image::decode_png(std::io::Cursor::new(b"no png".to_vec())).is_err());
    }

    #[test]
    fn a_header_cannot_ask_for_any_amount_of_memory() {
        let mut bytes = Vec::new();
        let encoder = png::Encoder::new(&mut bytes, LARGEST + 1, 1_000_000);
        let mut writer = encoder.write_header().unwrap();
        writer.write_chunk(png::chunk::IDAT, &[0]).unwrap();
        drop(writer);
        let error = Image::decode_png(std::io::Cursor::new(bytes)).unwrap_err().to_string();
        assert!(error.contains("8193 × 1000000 pixels"), "{error}");
    }
}
