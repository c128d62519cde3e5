//! `series.csv`: a few numbers at every step or output time.
//!
//! The first row holds the names of the columns, the first column is the time. Numbers are written
//! in the shortest form that reads back to the same bits; `NaN` and `inf` are written as such. A last column [`LIMIT`]
//! holds words, which readers of numbers leave out.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The name of the column that says what limited the step.
pub const LIMIT: &str = "step limit";

/// Rows that are collected before they go to the file together.
const ROW_GROUP: usize = 64;

/// Why a series could not be read, written or resumed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SeriesError {
    /// The file system failed.
    #[error("cannot {action} {}: {source}", .path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// Column names that do not make a table.
    #[error("the columns of {} are not usable: {reason}", .path.display())]
    Columns {
        /// The file.
        path: PathBuf,
        /// What is wrong with them.
        reason: String,
    },
    /// A row of the wrong length.
    #[error("a row of {found} values for the {expected} columns of {}", .path.display())]
    RowLength {
        /// The file.
        path: PathBuf,
        /// Number of values given.
        found: usize,
        /// Number of columns.
        expected: usize,
    },
    /// The file to resume belongs to a run with other columns.
    #[error(
        "cannot append to {}: its columns are `{found}`, those of this run are `{expected}`; \
         the scene has changed since",
        .path.display()
    )]
    HeaderDiffers {
        /// The file.
        path: PathBuf,
        /// Header in the file.
        found: String,
        /// Header of the caller.
        expected: String,
    },
    /// A row that is not numbers.
    #[error("{}, line {line}: {reason}", .path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Line number from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
}

/// Appends rows to a `series.csv`.
#[derive(Debug)]
pub struct SeriesWriter {
    path: PathBuf,
    out: BufWriter<File>,
    columns: usize,
    pending: usize,
    last_time: Option<f64>,
    line: String,
}

impl SeriesWriter {
    /// Starts a new file with these columns; an existing file is replaced.
    ///
    /// # Errors
    /// [`SeriesError::Columns`] for no columns, a name twice or a line break in a name;
    /// [`SeriesError::Io`].
    pub fn create(path: &Path, columns: &[&str]) -> Result<Self, SeriesError> {
        let header = header_line(path, columns)?;
        let file = File::create(path).map_err(|e| io_error("create", path, e))?;
        let mut writer = Self::over(path, file, columns.len(), None);
        writer.line = header;
        writer.put_line()?;
        writer.flush()?;
        Ok(writer)
    }

    /// Goes on with an existing file after a checkpoint at `time` [s]: rows up to and including
    /// this time stay, later ones are cut off, and so is a last row without its line break.
    ///
    /// # Errors
    /// [`SeriesError::HeaderDiffers`] when the columns are not the same (the file is untouched),
    /// [`SeriesError::Malformed`] for a row that is no row, [`SeriesError::Io`].
    pub fn resume(path: &Path, columns: &[&str], time: f64) -> Result<Self, SeriesError> {
        let expected = header_line(path, columns)?;
        let failed = |e| io_error("append to", path, e);
        let file = OpenOptions::new().read(true).write(true).open(path).map_err(failed)?;
        let mut lines = Lines::new(path, BufReader::new(file));
        let found = lines.next()?.unwrap_or_default().to_owned();
        if found != expected {
            return Err(SeriesError::HeaderDiffers { path: path.to_owned(), found, expected });
        }
        let mut kept = lines.bytes;
        let mut last_time = None;
        while let Some(line) = lines.next()? {
            let first =
                split_numbers(line, columns.len()).and_then(|mut row| row.next().transpose());
            let row_time = first.map_err(|reason| lines.malformed(reason))?.unwrap_or(f64::NAN);
            if row_time > time {
                break;
            }
            kept = lines.bytes;
            last_time = Some(row_time);
        }
        let mut file = lines.reader.into_inner();
        file.set_len(kept).and_then(|()| file.seek(SeekFrom::Start(kept))).map_err(failed)?;
        Ok(Self::over(path, file, columns.len(), last_time))
    }

    fn over(path: &Path, file: File, columns: usize, last_time: Option<f64>) -> Self {
        let out = BufWriter::with_capacity(1 << 16, file);
        Self { path: path.to_owned(), out, columns, pending: 0, last_time, line: String::new() }
    }

    /// Time of the last row there is, if any [s].
    pub fn last_time(&self) -> Option<f64> {
        self.last_time
    }

    /// Adds a row; the first value is the time [s].
    ///
    /// # Errors
    /// [`SeriesError::RowLength`], [`SeriesError::Io`].
    pub fn row(&mut self, values: &[f64]) -> Result<(), SeriesError> {
        self.row_of(values, None)
    }

    /// Adds a row whose last column is [`LIMIT`].
    ///
    /// # Errors
    /// As [`Self::row`].
    pub fn row_with_limit(&mut self, values: &[f64], limit: &str) -> Result<(), SeriesError> {
        self.row_of(values, Some(limit))
    }

    fn row_of(&mut self, values: &[f64], limit: Option<&str>) -> Result<(), SeriesError> {
        use std::fmt::Write as _;
        if values.len() + usize::from(limit.is_some()) != self.columns {
            return Err(SeriesError::RowLength {
                path: self.path.clone(),
                found: values.len(),
                expected: self.columns,
            });
        }
        self.line.clear();
        for (i, value) in values.iter().enumerate() {
            if i > 0 {
                self.line.push(',');
            }
            // `Debug` of a float is the shortest text that parses to the same bits, with an
            // exponent where that is shorter. Writing to a string cannot fail.
            let _ = write!(self.line, "{value:?}");
        }
        if let Some(limit) = limit {
            let _ = write!(self.line, ",{limit}");
        }
        self.put_line()?;
        self.last_time = values.first().copied();
        self.pending += 1;
        if self.pending >= ROW_GROUP { self.flush() } else { Ok(()) }
    }

    fn put_line(&mut self) -> Result<(), SeriesError> {
        self.line.push('\n');
        let result = self.out.write_all(self.line.as_bytes());
        result.map_err(|e| io_error("write", &self.path, e))
    }

    /// Hands all rows to the system: before each checkpoint, and at the end of the run.
    ///
    /// # Errors
    /// [`SeriesError::Io`].
    pub fn flush(&mut self) -> Result<(), SeriesError> {
        self.pending = 0;
        self.out.flush().map_err(|e| io_error("write", &self.path, e))
    }
}

/// A series in memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// The columns in the order of the file; the first is the time.
    pub columns: Vec<Column>,
}

/// One column of a [`Series`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Column {
    /// Name as in the file, such as `time [s]`.
    pub name: String,
    /// One value a row.
    pub values: Vec<f64>,
}

impl Series {
    /// Reads a `series.csv`. A last row without its line break, which an interrupted run may
    /// leave, is ignored.
    ///
    /// # Errors
    /// [`SeriesError::Malformed`] with the line, [`SeriesError::Io`].
    pub fn read(path: &Path) -> Result<Self, SeriesError> {
        Self::read_after(path, "")
    }

    /// Reads a CSV file of numbers from elsewhere: lines that begin with `#` before the header are
    /// remarks.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn read_with_comments(path: &Path) -> Result<Self, SeriesError> {
        Self::read_after(path, "#")
    }

    /// Reads the bytes of a file of that name, with remarks or without.
    ///
    /// # Errors
    /// [`SeriesError::Malformed`] with the line.
    pub fn parse(name: &Path, bytes: &[u8], comments: bool) -> Result<Self, SeriesError> {
        Self::from_lines(Lines::new(name, bytes), if comments { "#" } else { "" })
    }

    /// Reads what follows the lines that begin with `mark`, if that is not empty.
    fn read_after(path: &Path, mark: &str) -> Result<Self, SeriesError> {
        let file = File::open(path).map_err(|e| io_error("open", path, e))?;
        Self::from_lines(Lines::new(path, BufReader::new(file)), mark)
    }

    fn from_lines(mut lines: Lines<'_, impl BufRead>, mark: &str) -> Result<Self, SeriesError> {
        let mut header = lines.next()?.map(str::to_owned);
        while !mark.is_empty() && header.as_ref().is_some_and(|line| line.starts_with(mark)) {
            header = lines.next()?.map(str::to_owned);
        }
        let header = header.as_deref().map(split_header);
        let names = header.ok_or_else(|| lines.malformed("there is no header row".to_owned()))?;
        let count = names.len();
        let mut columns: Vec<Column> =
            names.into_iter().map(|name| Column { name, values: Vec::new() }).collect();
        columns.pop_if(|last| last.name == LIMIT);
        while let Some(line) = lines.next()? {
            let row = split_numbers(line, count)
                .and_then(|row| row.take(columns.len()).collect::<Result<Vec<f64>, String>>())
                .map_err(|reason| lines.malformed(reason))?;
            for (column, value) in columns.iter_mut().zip(row) {
                column.values.push(value);
            }
        }
        Ok(Self { columns })
    }

    /// The values of a column by its full name.
    pub fn column(&self, name: &str) -> Option<&[f64]> {
        self.columns.iter().find(|c| c.name == name).map(|c| c.values.as_slice())
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |column| column.values.len())
    }
}

/// Complete lines of a file, counted in lines and bytes.
struct Lines<'a, R> {
    path: &'a Path,
    reader: R,
    line: usize,
    bytes: u64,
    buffer: Vec<u8>,
}

impl<'a, R: BufRead> Lines<'a, R> {
    fn new(path: &'a Path, reader: R) -> Self {
        Self { path, reader, line: 0, bytes: 0, buffer: Vec::new() }
    }

    /// The next line without its break, or `None` at the end or at an incomplete line.
    fn next(&mut self) -> Result<Option<&str>, SeriesError> {
        self.buffer.clear();
        let length = self
            .reader
            .read_until(b'\n', &mut self.buffer)
            .map_err(|e| io_error("read", self.path, e))?;
        if self.buffer.pop() != Some(b'\n') {
            return Ok(None);
        }
        if self.buffer.last() == Some(&b'\r') {
            self.buffer.pop();
        }
        self.line += 1;
        self.bytes += length as u64;
        match std::str::from_utf8(&self.buffer) {
            Ok(line) => Ok(Some(line)),
            Err(_) => Err(self.malformed("it is not text".to_owned())),
        }
    }

    fn malformed(&self, reason: String) -> SeriesError {
        SeriesError::Malformed { path: self.path.to_owned(), line: self.line.max(1), reason }
    }
}

fn io_error(action: &'static str, path: &Path, source: io::Error) -> SeriesError {
    SeriesError::Io { action, path: path.to_owned(), source }
}

fn header_line(path: &Path, columns: &[&str]) -> Result<String, SeriesError> {
    let unusable = |reason: String| SeriesError::Columns { path: path.to_owned(), reason };
    if columns.is_empty() {
        return Err(unusable("there are none".to_owned()));
    }
    for (i, name) in columns.iter().enumerate() {
        if name.is_empty() || name.contains(['\n', '\r']) {
            return Err(unusable(format!("{name:?} is empty or has a line break")));
        }
        if columns[..i].contains(name) {
            return Err(unusable(format!("duplicate column `{name}`")));
        }
    }
    let quoted: Vec<String> = columns.iter().map(|name| quote(name)).collect();
    Ok(quoted.join(","))
}

fn quote(name: &str) -> String {
    if name.contains([',', '"']) {
        format!("\"{}\"", name.replace('"', "\"\""))
    } else {
        name.to_owned()
    }
}

fn split_header(line: &str) -> Vec<String> {
    let mut names = vec![String::new()];
    let mut quoted = false;
    let mut characters = line.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '"' if quoted && characters.peek() == Some(&'"') => {
                characters.next();
                names.last_mut().into_iter().for_each(|name| name.push('"'));
            }
            '"' => quoted = !quoted,
            ',' if !quoted => names.push(String::new()),
            _ => names.last_mut().into_iter().for_each(|name| name.push(c)),
        }
    }
    names
}

/// The numbers of a row, whose count is checked first.
fn split_numbers(
    line: &str,
    columns: usize,
) -> Result<impl Iterator<Item = Result<f64, String>>, String> {
    let count = line.split(',').count();
    if count != columns {
        return Err(format!("{count} values for {columns} columns"));
    }
    Ok(line
        .split(',')
        .map(|text| text.trim().parse::<f64>().map_err(|_| format!("`{text}` is not a number"))))
}

#[cfg(test)]
mod tests;
