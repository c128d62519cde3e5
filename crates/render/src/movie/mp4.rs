//! H.264 movies in MP4 files, which every browser plays.

use std::path::{Path, PathBuf};

use muxide::api::{Muxer, MuxerBuilder, MuxerError, VideoCodec};
use openh264::OpenH264API;
use openh264::encoder::{
    BitRate, Complexity, Encoder, EncoderConfig, FrameRate, FrameType, IntraFramePeriod, QpRange,
    RateControlMode, UsageType, VuiConfig,
};
use openh264::formats::YUVSlices;

use super::yuv::Planes;
use super::{check_size, no_frame};
use crate::atomic::AtomicFile;
use crate::{Image, RenderError};

/// Writes an MP4 file with its index in front, so that a browser plays it while it loads.
///
/// The coded movie is held in memory until it is finished, because the index comes first.
pub struct Mp4Writer {
    path: PathBuf,
    encoder: Encoder,
    muxer: Muxer<AtomicFile>,
    planes: Planes,
    width: u32,
    height: u32,
    fps: f64,
    frames: u64,
}

/// Steps of quantisation, 0 to 51: finer ones are not seen, coarser ones show blots of colour
/// on water. 92,000 moving particles at 1280x720 and 30 frames a second make 9 Mbit/s.
const QUANTISATION: (u8, u8) = (22, 24);
/// Bits for a pixel of a frame that are allowed. The encoder drops frames above its allowance,
/// which must not happen, and writes a warning to the terminal when that is forbidden. Nothing
/// comes near this much, so that the quality is constant and the size follows the content.
const BITS_PER_PIXEL: f64 = 8.0;

impl Mp4Writer {
    /// Begins a movie. The format halves the resolution of colour, so both sides must be even.
    ///
    /// # Errors
    /// When the size or the frame rate is not possible, or the file cannot be created.
    pub fn new(
        path: impl AsRef<Path>,
        width: u32,
        height: u32,
        fps: f64,
    ) -> Result<Self, RenderError> {
        let path = path.as_ref();
        let possible = |side: u32| (16..=3840).contains(&side) && side.is_multiple_of(2);
        if !(possible(width) && possible(height) && width.min(height) <= 2160) {
            let allowed =
                "an MP4 movie has even sides of 16 to 3840 pixels, one at most 2160".to_owned();
            return Err(RenderError::Size { width, height, allowed });
        }
        if !(1.0..=120.0).contains(&fps) {
            return Err(RenderError::FrameRate { fps, allowed: "1 to 120" });
        }
        let bits = BITS_PER_PIXEL * f64::from(width) * f64::from(height) * fps;
        let config = EncoderConfig::new()
            .max_frame_rate(FrameRate::from_hz(fps as f32))
            .bitrate(BitRate::from_bps(bits.min(2e8) as u32))
            .rate_control_mode(RateControlMode::Quality)
            .qp(QpRange::new(QUANTISATION.0, QUANTISATION.1))
            .usage_type(UsageType::CameraVideoRealTime)
            .complexity(Complexity::High)
            .skip_frames(true)
            .debug(false)
            .scene_change_detect(false)
            .background_detection(false)
            .intra_frame_period(IntraFramePeriod::from_num_frames((2.0 * fps).ceil() as u32))
            .vui(VuiConfig::bt709());
        let encoder = Encoder::with_api_config(OpenH264API::from_source(), config)
            .map_err(|error| coding(path, &error))?;
        let file = AtomicFile::create(path).map_err(RenderError::io(path))?;
        let muxer = MuxerBuilder::new(file)
            .video(VideoCodec::H264, width, height, fps)
            .with_fast_start(true)
            .build()
            .map_err(|error| muxing(path, error))?;
        let planes = Planes::new(width, height);
        let path = path.to_path_buf();
        Ok(Self { path, encoder, muxer, planes, width, height, fps, frames: 0 })
    }

    /// Appends a frame.
    ///
    /// # Errors
    /// When the image has another size than the movie, or the frame cannot be coded.
    pub fn push(&mut self, image: &Image) -> Result<(), RenderError> {
        check_size(image, self.width, self.height)?;
        self.planes.fill(image);
        let size = (self.width as usize, self.height as usize);
        let planes = (&self.planes.y[..], &self.planes.u[..], &self.planes.v[..]);
        let source = YUVSlices::new(planes, size, (size.0, size.0 / 2, size.0 / 2));
        let coded = self.encoder.encode(&source).map_err(|error| coding(&self.path, &error))?;
        let key = matches!(coded.frame_type(), FrameType::IDR | FrameType::I);
        let time = self.frames as f64 / self.fps;
        self.muxer
            .write_video(time, &coded.to_vec(), key)
            .map_err(|error| muxing(&self.path, error))?;
        self.frames += 1;
        Ok(())
    }

    /// Completes the file and gives it its name.
    ///
    /// # Errors
    /// When the movie has no frame or cannot be written.
    pub fn finish(mut self) -> Result<(), RenderError> {
        if self.frames == 0 {
            return Err(no_frame(&self.path));
        }
        self.muxer.finish_in_place().map_err(|error| muxing(&self.path, error))?;
        self.muxer.into_writer().commit().map_err(RenderError::io(&self.path))
    }
}

fn coding(path: &Path, error: &openh264::Error) -> RenderError {
    RenderError::Codec { path: path.to_path_buf(), cause: error.to_string() }
}

fn muxing(path: &Path, error: MuxerError) -> RenderError {
    let path = path.to_path_buf();
    match error {
        MuxerError::Io(source) => RenderError::Io { path, source },
        other => RenderError::Codec { path, cause: other.to_string() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The content of the first box with a name, searched in the boxes along `path`.
    fn find<'a>(mut bytes: &'a [u8], path: &[&str]) -> Option<&'a [u8]> {
        let (name, rest) = path.split_first()?;
        while bytes.len() >= 8 {
            let length = u32::from_be_bytes(bytes[..4].try_into().unwrap()) as usize;
            let content = &bytes[8..length];
            if &bytes[4..8] == name.as_bytes() {
                // Sample descriptions begin with a version and a count.
                let inner = if *name == "stsd" { &content[8..] } else { content };
                return if rest.is_empty() { Some(content) } else { find(inner, rest) };
            }
            bytes = &bytes[length..];
        }
        None
    }

    fn number(bytes: &[u8], at: usize) -> u32 {
        u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap())
    }

    #[test]
    fn a_movie_has_index_size_and_frames() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.mp4");
        let mut movie = Mp4Writer::new(&path, 64, 48, 25.0).unwrap();
        for i in 0..7_u8 {
            let rgb = (0..64 * 48 * 3).map(|k| ((k / 3 % 64) as u8).wrapping_mul(i)).collect();
            movie.push(&Image::from_rgb(64, 48, rgb).unwrap()).unwrap();
        }
        assert!(!path.exists());
        movie.finish().unwrap();

        let bytes = std::fs::read(&path).unwrap();
        assert_eq!(&bytes[4..8], b"ftyp");
        let place = |name: &[u8]| bytes.windows(4).position(|w| w == name).unwrap();
        assert!(place(b"moov") < place(b"mdat"));
        let table = ["moov", "trak", "mdia", "minf", "stbl"];
        let sizes = find(&bytes, &[&table[..], &["stsz"]].concat()).unwrap();
        assert_eq!(number(sizes, 8), 7);
        let entry = find(&bytes, &[&table[..], &["stsd", "avc1"]].concat()).unwrap();
        assert_eq!((&entry[24..26], &entry[26..28]), (&[0, 64][..], &[0, 48][..]));
        let header = find(&bytes, &["moov", "trak", "mdia", "mdhd"]).unwrap();
        let seconds = f64::from(number(header, 16)) / f64::from(number(header, 12));
        assert!((seconds - 7.0 / 25.0).abs() < 1e-3, "{seconds}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn even_noise_loses_no_frame() {
        let folder = tempfile::tempdir().unwrap();
        let mut movie = Mp4Writer::new(folder.path().join("a.mp4"), 160, 128, 60.0).unwrap();
        let mut seed = 1_u32;
        for _ in 0..40 {
            let noise = (0..160 * 128 * 3).map(|_| {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (seed >> 24) as u8
            });
            movie.push(&Image::from_rgb(160, 128, noise.collect()).unwrap()).unwrap();
        }
        movie.finish().unwrap();
    }

    #[test]
    fn impossible_movies_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.mp4");
        assert!(Mp4Writer::new(&path, 63, 48, 25.0).is_err());
        assert!(Mp4Writer::new(&path, 64, 0, 25.0).is_err());
        assert!(Mp4Writer::new(&path, 64, 48, f64::NAN).is_err());
        assert!(Mp4Writer::new(&path, 64, 48, 25.0).unwrap().finish().is_err());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
