//! What a plot is made of, and its two forms: SVG and PNG.

use lawine_render::{Anchor, Color, Sheet};
use std::fmt::Write as _;

/// Height of the letters.
pub(super) const TEXT_SIZE: f64 = 12.5;
/// Pixels of a PNG for each unit of length: enough for a third of a printed page.
const PNG_SCALE: f64 = 2.0;
/// Height of the title.
const HEADING: f64 = 26.0;
/// Okabe and Ito's colours, which colour-blind readers can tell apart; dark on white first.
pub(super) const COLORS: [u32; 7] =
    [0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0xb8860b, 0x56b4e9, 0x7f7f7f];

/// A finished drawing.
#[derive(Clone, Debug)]
pub struct Drawing {
    title: String,
    size: [f64; 2],
    marks: Vec<Mark>,
}

/// What something is drawn with.
#[derive(Clone, Copy, Debug)]
pub(super) enum Ink {
    Curve(usize),
    Text,
    Soft,
    Grid,
    Axis,
    Paper,
}

/// The shape of a single mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Symbol {
    Circle,
    Square,
    Triangle,
    Diamond,
    Cross,
}

/// One of the things in a drawing.
#[derive(Clone, Debug)]
enum Mark {
    Lines { runs: Vec<Vec<[f64; 2]>>, ink: Ink, width: f64, dashes: &'static [f64] },
    Symbols { places: Vec<[f64; 2]>, symbol: Symbol, open: bool, ink: Ink },
    Bar { corner: [f64; 2], size: [f64; 2], ink: Ink },
    Text { text: String, place: [f64; 2], anchor: Anchor, ink: Ink },
}

impl Mark {
    /// Moves it down.
    fn lower(&mut self, by: f64) {
        match self {
            Self::Lines { runs, .. } => runs.iter_mut().flatten().for_each(|p| p[1] += by),
            Self::Symbols { places, .. } => places.iter_mut().for_each(|p| p[1] += by),
            Self::Bar { corner: place, .. } | Self::Text { place, .. } => place[1] += by,
        }
    }
}

impl Ink {
    /// The name of the variable with which a page gives it another colour, and the colour without one.
    fn color(self) -> (String, u32) {
        let (name, color) = match self {
            Self::Curve(i) => {
                let i = i % COLORS.len();
                return (format!("curve-{}", i + 1), COLORS[i]);
            }
            Self::Text => ("ink", 0x1a1a1a),
            Self::Soft => ("soft", 0x5c6370),
            Self::Grid => ("grid", 0xe3e6ea),
            Self::Axis => ("axis", 0x8a919c),
            Self::Paper => ("paper", 0xffffff),
        };
        (name.to_owned(), color)
    }

    /// Attributes for `fill` or `stroke`, for viewers with and without variables.
    fn attributes(self, what: &str) -> String {
        let (name, color) = self.color();
        format!("{what}=\"#{color:06x}\" style=\"{what}:var(--{name},#{color:06x})\"")
    }
}

impl Symbol {
    /// The one of curve number `i`.
    pub(super) fn of(i: usize) -> Self {
        [Self::Circle, Self::Square, Self::Triangle, Self::Diamond][i % 4]
    }

    /// Its corners around the middle; a circle has enough to look round.
    fn corners(self) -> Vec<[f64; 2]> {
        match self {
            Self::Circle => (0..16)
                .map(|k| (std::f64::consts::TAU * f64::from(k) / 16.0).sin_cos())
                .map(|(y, x)| [3.0 * x, 3.0 * y])
                .collect(),
            Self::Square => vec![[-2.7, -2.7], [2.7, -2.7], [2.7, 2.7], [-2.7, 2.7]],
            Self::Triangle => vec![[0.0, -3.6], [3.4, 2.4], [-3.4, 2.4]],
            Self::Diamond => vec![[0.0, -3.9], [3.3, 0.0], [0.0, 3.9], [-3.3, 0.0]],
            Self::Cross => vec![[-3.2, -3.2], [3.2, 3.2], [3.2, -3.2], [-3.2, 3.2]],
        }
    }

    /// The lines of its outline, or its own if it has no inside.
    fn outline(self) -> Vec<[[f64; 2]; 2]> {
        let corners = self.corners();
        if self == Self::Cross {
            return vec![[corners[0], corners[1]], [corners[2], corners[3]]];
        }
        let next = corners.iter().cycle().skip(1);
        corners.iter().zip(next).map(|(a, b)| [*a, *b]).collect()
    }

    /// Its SVG path around a place.
    fn path(self, [x, y]: [f64; 2]) -> String {
        if self == Self::Circle {
            return format!("M{:.1} {y:.1}a3 3 0 1 0 6 0a3 3 0 1 0-6 0", x - 3.0);
        }
        let mut path = String::new();
        let ends = if self == Self::Cross { &[0, 2][..] } else { &[0] };
        for (k, [a, b]) in self.corners().into_iter().enumerate() {
            let letter = if ends.contains(&k) { 'M' } else { 'L' };
            let _ = write!(path, "{letter}{:.1} {:.1}", x + a, y + b);
        }
        path + if self == Self::Cross { "" } else { "z" }
    }
}

impl Drawing {
    pub(super) fn new(title: &str, width: f64, height: f64) -> Self {
        Self { title: title.to_owned(), size: [width, height], marks: Vec::new() }
    }

    pub(super) fn lines(
        &mut self,
        runs: Vec<Vec<[f64; 2]>>,
        ink: Ink,
        width: f64,
        dashes: &'static [f64],
    ) {
        self.marks.push(Mark::Lines { runs, ink, width, dashes });
    }

    pub(super) fn symbols(&mut self, places: Vec<[f64; 2]>, symbol: Symbol, open: bool, ink: Ink) {
        self.marks.push(Mark::Symbols { places, symbol, open, ink });
    }

    pub(super) fn bar(&mut self, corner: [f64; 2], size: [f64; 2], ink: Ink) {
        self.marks.push(Mark::Bar { corner, size, ink });
    }

    pub(super) fn text(&mut self, place: [f64; 2], anchor: Anchor, ink: Ink, text: &str) {
        self.marks.push(Mark::Text { text: text.to_owned(), place, anchor, ink });
    }

    /// Says that there is nothing to draw.
    pub(super) fn no_data(&mut self, place: [f64; 2]) {
        self.text(place, Anchor::Middle, Ink::Soft, "no data");
    }

    /// The drawing with its title on white paper, for a file of its own.
    #[must_use]
    pub fn alone(mut self) -> Self {
        if !self.title.is_empty() {
            self.marks.iter_mut().for_each(|mark| mark.lower(HEADING));
            self.size[1] += HEADING;
            let (place, title) = ([0.5 * self.size[0], HEADING - 9.0], self.title.clone());
            self.text(place, Anchor::Middle, Ink::Text, &title);
        }
        self.marks.insert(0, Mark::Bar { corner: [0.0; 2], size: self.size, ink: Ink::Paper });
        self
    }

    /// An SVG element to stand in a page that says the title. No fonts are embedded.
    pub fn svg(&self) -> String {
        let [width, height] = self.size;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
             width=\"{width:.0}\" role=\"img\" aria-label=\"{}\" font-family=\"system-ui,'Segoe UI',\
             'Helvetica Neue',Arial,sans-serif\" font-size=\"{TEXT_SIZE}\">",
            escape(&self.title)
        );
        for mark in &self.marks {
            let _ = match mark {
                Mark::Lines { runs, ink, width, dashes } => {
                    let dashes: Vec<String> = dashes.iter().map(f64::to_string).collect();
                    let dashes = match dashes.join(" ") {
                        none if none.is_empty() => none,
                        some => format!(" stroke-dasharray=\"{some}\""),
                    };
                    write!(
                        svg,
                        "<path d=\"{}\" fill=\"none\" {} stroke-width=\"{width}\" \
                         stroke-linejoin=\"round\" stroke-linecap=\"round\"{dashes}/>",
                        path(runs),
                        ink.attributes("stroke")
                    )
                }
                Mark::Symbols { places, symbol, open, ink } => {
                    let path: String = places.iter().map(|&place| symbol.path(place)).collect();
                    let look = if *open || *symbol == Symbol::Cross {
                        format!("fill=\"none\" stroke-width=\"1.6\" {}", ink.attributes("stroke"))
                    } else {
                        ink.attributes("fill")
                    };
                    write!(svg, "<path d=\"{path}\" {look}/>")
                }
                Mark::Bar { corner: [x, y], size: [width, height], ink } => write!(
                    svg,
                    "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" {}/>",
                    ink.attributes("fill")
                ),
                Mark::Text { text, place: [x, y], anchor, ink } => {
                    let anchor = match anchor {
                        Anchor::Start => "start",
                        Anchor::Middle => "middle",
                        Anchor::End => "end",
                    };
                    write!(
                        svg,
                        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" {}>{}</text>",
                        ink.attributes("fill"),
                        escape(text)
                    )
                }
            };
        }
        svg + "</svg>"
    }

    /// The bytes of a PNG file, on white.
    pub fn png(&self) -> Vec<u8> {
        let [width, height] = self.size;
        let mut sheet = Sheet::new(width, height, PNG_SCALE);
        for mark in &self.marks {
            match mark {
                Mark::Lines { runs, ink, width, dashes } => {
                    for ends in runs.iter().flat_map(|run| dashed(run, dashes)) {
                        sheet.line(ends, *width, Color::hex(ink.color().1));
                    }
                }
                Mark::Symbols { places, symbol, open, ink } => {
                    let color = Color::hex(ink.color().1);
                    for [x, y] in places {
                        let at = |[a, b]: [f64; 2]| [x + a, y + b];
                        if *open || *symbol == Symbol::Cross {
                            let lines = symbol.outline().into_iter();
                            lines.for_each(|ends| sheet.line(ends.map(at), 1.6, color));
                        } else {
                            let corners: Vec<_> = symbol.corners().into_iter().map(at).collect();
                            sheet.fill(&corners, color);
                        }
                    }
                }
                Mark::Bar { corner: [x, y], size: [width, height], ink } => {
                    let (right, below) = (x + width, y + height);
                    let corners = [[*x, *y], [right, *y], [right, below], [*x, below]];
                    sheet.fill(&corners, Color::hex(ink.color().1));
                }
                Mark::Text { text, place, anchor, ink } => {
                    sheet.write(text, *place, *anchor, TEXT_SIZE, Color::hex(ink.color().1));
                }
            }
        }
        let mut bytes = Vec::new();
        // A picture of this size fits into memory, and writing there does not fail.
        let _ = sheet.finish().encode_png(&mut bytes);
        bytes
    }
}

/// The SVG path of runs of points; a run of one point is a dot, as lines have round ends.
fn path(runs: &[Vec<[f64; 2]>]) -> String {
    let mut path = String::new();
    for run in runs {
        for (k, [x, y]) in run.iter().enumerate() {
            let _ = write!(path, "{}{x:.1} {y:.1}", if k == 0 { 'M' } else { 'L' });
        }
        if run.len() == 1 {
            path.push_str("h0");
        }
    }
    path
}

/// The pieces of a run of points that a pattern of dashes and gaps leaves.
fn dashed(run: &[[f64; 2]], pattern: &[f64]) -> Vec<[[f64; 2]; 2]> {
    if let [point] = run {
        return vec![[*point; 2]];
    }
    let segments = run.windows(2).map(|ends| [ends[0], ends[1]]);
    let period: f64 = pattern.iter().sum();
    if period <= 0.0 {
        return segments.collect();
    }
    let mut pieces = Vec::new();
    let mut walked = 0.0;
    for [a, b] in segments {
        let length = (b[0] - a[0]).hypot(b[1] - a[1]);
        let at = |s: f64| [0, 1].map(|k| a[k] + (b[k] - a[k]) * (s / length).clamp(0.0, 1.0));
        let mut dash = (walked / period).floor() * period;
        while length > 0.0 && dash < walked + length {
            let (from, to) = (dash - walked, dash - walked + pattern[0]);
            if to > 0.0 {
                pieces.push([at(from), at(to)]);
            }
            dash += period;
        }
        walked += length;
    }
    pieces
}

/// About how wide a text will be; fonts differ by some percent.
pub(super) fn text_width(content: &str) -> f64 {
    0.56 * TEXT_SIZE * content.chars().count() as f64
}

/// Text for HTML and SVG, in elements and in quoted attributes.
pub fn escape(content: &str) -> String {
    let mut out = String::with_capacity(content.len());
    for c in content.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(c),
        }
    }
    out
}
