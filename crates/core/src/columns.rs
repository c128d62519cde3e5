//! Checkpoint columns: named arrays of numbers in a byte stream.
//!
//! Little endian: length of the name, name, type tag, count, values. The reader asks for a name and
//! a type and refuses anything else; it never allocates more than the stream delivers.

use glam::DVec3;
use std::io::{self, Read, Write};

/// A type that can be a column.
pub trait Column: Copy {
    /// Tells the types apart in the stream.
    const TAG: u8;
    /// Bytes of one value.
    const SIZE: usize;
    /// The value's bytes.
    fn put(self, out: &mut Vec<u8>);
    /// The value from its [`Self::SIZE`] bytes.
    fn take(bytes: &[u8]) -> Self;
}

macro_rules! number_column {
    ($type:ty, $tag:literal) => {
        impl Column for $type {
            const TAG: u8 = $tag;
            const SIZE: usize = size_of::<$type>();
            fn put(self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }
            fn take(bytes: &[u8]) -> Self {
                let mut raw = [0; size_of::<$type>()];
                raw.copy_from_slice(bytes);
                Self::from_le_bytes(raw)
            }
        }
    };
}

number_column!(u32, 1);
number_column!(u64, 2);
number_column!(f32, 3);
number_column!(f64, 4);

impl Column for DVec3 {
    const TAG: u8 = 5;
    const SIZE: usize = 24;
    fn put(self, out: &mut Vec<u8>) {
        self.to_array().into_iter().for_each(|x| x.put(out));
    }
    fn take(bytes: &[u8]) -> Self {
        Self::from_array(std::array::from_fn(|k| f64::take(&bytes[8 * k..8 * k + 8])))
    }
}

/// Writes a column.
pub fn write<T: Column>(out: &mut dyn Write, name: &str, values: &[T]) -> io::Result<()> {
    let mut bytes = Vec::with_capacity(16 + name.len() + values.len() * T::SIZE);
    bytes.push(name.len() as u8);
    bytes.extend_from_slice(name.as_bytes());
    bytes.push(T::TAG);
    (values.len() as u64).put(&mut bytes);
    values.iter().for_each(|v| v.put(&mut bytes));
    out.write_all(&bytes)
}

/// Reads the column `name`, which must come next.
pub fn read<T: Column>(from: &mut dyn Read, name: &str) -> io::Result<Vec<T>> {
    let bad = |what: String| io::Error::new(io::ErrorKind::InvalidData, what);
    let mut length = [0];
    from.read_exact(&mut length)?;
    let mut found = vec![0; length[0] as usize];
    from.read_exact(&mut found)?;
    if found != name.as_bytes() {
        let found = String::from_utf8_lossy(&found);
        return Err(bad(format!("expected the column \"{name}\", found \"{found}\"")));
    }
    let mut head = [0; 9];
    from.read_exact(&mut head)?;
    if head[0] != T::TAG {
        let tag = head[0];
        return Err(bad(format!("the column \"{name}\" has type {tag}, expected {}", T::TAG)));
    }
    let count = u64::take(&head[1..]);
    let size = count
        .checked_mul(T::SIZE as u64)
        .ok_or_else(|| bad(format!("the column \"{name}\" claims {count} values")))?;
    let mut bytes = Vec::new();
    from.take(size).read_to_end(&mut bytes)?;
    if bytes.len() as u64 != size {
        return Err(bad(format!(
            "the column \"{name}\" claims {count} values, but ends after {}",
            bytes.len() / T::SIZE
        )));
    }
    Ok(bytes.chunks_exact(T::SIZE).map(T::take).collect())
}

/// Reads a column that must have exactly one value.
pub fn read_one<T: Column>(from: &mut dyn Read, name: &str) -> io::Result<T> {
    match read(from, name)?[..] {
        [value] => Ok(value),
        ref values => Err(io::Error::new(
            io::ErrorKind::InvalidData,
            format!("the column \"{name}\" has {} values instead of one", values.len()),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_come_back() {
        let mut bytes = Vec::new();
        write(&mut bytes, "id", &[1_u32, 2, 3]).unwrap();
        write(&mut bytes, "x", &[DVec3::new(1.0, -0.0, f64::MIN_POSITIVE)]).unwrap();
        let from = &mut &bytes[..];
        assert_eq!(read::<u32>(from, "id").unwrap(), [1, 2, 3]);
        assert_eq!(read_one::<DVec3>(from, "x").unwrap().z.to_bits(), f64::MIN_POSITIVE.to_bits());
    }

    #[test]
    fn wrong_names_types_and_counts_are_refused() {
        let mut bytes = Vec::new();
        write(&mut bytes, "id", &[1_u32, 2, 3]).unwrap();
        assert!(read::<u32>(&mut &bytes[..], "ix").is_err());
        assert!(read::<f32>(&mut &bytes[..], "id").is_err());
        assert!(read::<u32>(&mut &bytes[..bytes.len() - 1], "id").is_err());
        assert!(read_one::<u32>(&mut &bytes[..], "id").is_err());
        bytes[4..12].fill(0xFF);
        assert!(read::<u32>(&mut &bytes[..], "id").is_err());
    }
}
