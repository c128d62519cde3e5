//! Horizontal bars for parts of a whole, such as the time of each phase.

use super::drawing::{Drawing, Ink, TEXT_SIZE, text_width};
use super::{LEGEND, WIDTH, legend_places, legend_rows};
use lawine_render::Anchor;

/// Named amounts as bars of one or several parts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bars {
    /// Title, for the caption and for those who listen to the page.
    pub title: String,
    /// Unit of the amounts, such as `s`.
    pub unit: String,
    /// Names of the parts; a single part needs none, and its bars are given as fractions of all.
    pub parts: Vec<String>,
    /// A name for each bar, and its parts; what is not finite or negative is shown as 0.
    pub items: Vec<(String, Vec<f64>)>,
}

const ROW: f64 = 26.0;

impl Bars {
    /// The bars as a drawing.
    pub fn draw(&self) -> Drawing {
        let legend = legend_rows(self.parts.iter().map(String::as_str));
        let room = if legend.is_empty() { 0.0 } else { 10.0 + LEGEND[0] * legend.len() as f64 };
        let height = room + ROW * self.items.len().max(1) as f64 + 8.0;
        let mut drawing = Drawing::new(&self.title, WIDTH, height);
        if self.items.is_empty() {
            drawing.no_data([WIDTH / 2.0, room + 20.0]);
        }
        for ([x, y], part) in legend_places(&legend, 14.0) {
            let y = y - 22.0;
            drawing.bar([x, y - 9.0], [22.0, 10.0], Ink::Curve(part));
            drawing.text([x + 28.0, y], Anchor::Start, Ink::Text, &self.parts[part]);
        }
        let amount = |a: &f64| if a.is_finite() { a.max(0.0) } else { 0.0 };
        let sum = |parts: &[f64]| parts.iter().map(amount).sum::<f64>();
        let total: f64 = self.items.iter().map(|(_, parts)| sum(parts)).sum();
        let sums = self.items.iter().map(|(_, parts)| sum(parts));
        let largest = sums.fold(f64::MIN_POSITIVE, f64::max);
        let names = self.items.iter().map(|(name, _)| text_width(name));
        let left = 14.0 + names.fold(40.0, f64::max).min(0.45 * WIDTH);
        let scale = (WIDTH - left - 128.0) / largest;
        for (i, (name, parts)) in self.items.iter().enumerate() {
            let y = room + 4.0 + ROW * i as f64;
            let baseline = y + 0.5 * ROW + 0.3 * TEXT_SIZE;
            let mut end = left;
            for (k, part) in parts.iter().enumerate() {
                let width = scale * amount(part);
                drawing.bar([end, y + 4.0], [width, ROW - 8.0], Ink::Curve(k));
                end += width;
            }
            drawing.text([left - 9.0, baseline], Anchor::End, Ink::Text, name);
            let mut label = format!("{} {}", short(sum(parts)), self.unit);
            if self.parts.is_empty() {
                let fraction = if total > 0.0 { 100.0 * sum(parts) / total } else { 0.0 };
                label += &format!("  ({fraction:.0} %)");
            }
            drawing.text([end + 8.0, baseline], Anchor::Start, Ink::Soft, &label);
        }
        drawing
    }
}

/// Three significant digits for common sizes.
fn short(value: f64) -> String {
    match value {
        v if v >= 100.0 => format!("{v:.0}"),
        v if v >= 10.0 => format!("{v:.1}"),
        v if v >= 1.0 => format!("{v:.2}"),
        v if v >= 1e-3 => format!("{v:.3}"),
        v if v > 0.0 => format!("{v:.1e}"),
        _ => "0".to_owned(),
    }
}
