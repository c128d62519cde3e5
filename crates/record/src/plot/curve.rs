//! One curve, thinned out to what can be seen.

use super::drawing::{Drawing, Ink, Symbol};
use super::{COLORS, Curve, LineStyle};

impl Curve {
    /// Its error bar at point `i`.
    pub(super) fn error(&self, i: usize) -> f64 {
        self.errors.get(i).copied().filter(|error| error.is_finite()).unwrap_or(0.0)
    }

    fn ink(&self, number: usize) -> Ink {
        Ink::Curve(self.color.unwrap_or(number))
    }

    fn symbol(&self, number: usize) -> Option<Symbol> {
        match self.style {
            LineStyle::Line | LineStyle::Theory => None,
            LineStyle::Broken => Some(Symbol::Cross),
            LineStyle::Reference => Some(Symbol::Circle),
            LineStyle::Marked | LineStyle::Points => Some(Symbol::of(self.color.unwrap_or(number))),
        }
    }

    /// The pattern of its line, if it has one. Where there are more curves than colours, lines have dashes.
    fn dashes(&self, number: usize) -> Option<&'static [f64]> {
        const PATTERNS: [&[f64]; 3] = [&[], &[10.0, 4.0], &[6.0, 6.0]];
        match self.style {
            LineStyle::Points | LineStyle::Broken => None,
            LineStyle::Reference => Some(&[6.0, 4.0]),
            LineStyle::Theory => Some(&[1.5, 3.5]),
            LineStyle::Line | LineStyle::Marked => {
                let round = self.color.unwrap_or(number) / COLORS.len();
                Some(PATTERNS[round.min(PATTERNS.len() - 1)])
            }
        }
    }

    /// Draws curve number `number`; `place` finds where a point with its error bar is, if it is seen.
    pub(super) fn draw(
        &self,
        drawing: &mut Drawing,
        number: usize,
        place: impl Fn([f64; 2], f64) -> Option<([f64; 2], [f64; 2])>,
    ) {
        let points = self.points.iter().enumerate();
        let placed: Vec<_> = points.map(|(i, p)| place(*p, self.error(i))).collect();
        let runs = placed.split(Option::is_none).filter(|run| !run.is_empty());
        let runs: Vec<Vec<[f64; 2]>> =
            runs.map(|run| thinned(run.iter().flatten().map(|(p, _)| *p))).collect();
        if !self.errors.is_empty() {
            let bar = |&([x, _], ends): &([f64; 2], [f64; 2])| {
                let [low, high] = ends.map(|y| vec![[x - 3.0, y], [x + 3.0, y]]);
                [low, high, ends.map(|y| [x, y]).to_vec()]
            };
            let bars = placed.iter().flatten().flat_map(bar).collect();
            drawing.lines(bars, self.ink(number), 1.0, &[]);
        }
        if let Some(symbol) = self.symbol(number) {
            let open = self.style == LineStyle::Reference;
            let places = runs.iter().flatten().copied().collect();
            drawing.symbols(places, symbol, open, self.ink(number));
        }
        if let Some(dashes) = self.dashes(number) {
            drawing.lines(runs, self.ink(number), 1.6, dashes);
        }
    }

    /// Draws the curve's sample for the legend around a place.
    pub(super) fn draw_sample(&self, drawing: &mut Drawing, number: usize, [x, y]: [f64; 2]) {
        if let Some(dashes) = self.dashes(number) {
            let line = vec![vec![[x - 11.0, y], [x + 11.0, y]]];
            drawing.lines(line, self.ink(number), 1.6, dashes);
        }
        if let Some(symbol) = self.symbol(number) {
            drawing.symbols(
                vec![[x, y]],
                symbol,
                self.style == LineStyle::Reference,
                self.ink(number),
            );
        }
    }
}

/// Keeps the first, lowest, highest and last point of each half unit of width, so that a million
/// rows make a small file without losing a peak.
fn thinned(points: impl Iterator<Item = [f64; 2]>) -> Vec<[f64; 2]> {
    let column = |p: &[f64; 2]| (2.0 * p[0]).floor() as i64;
    let mut kept: Vec<[f64; 2]> = Vec::new();
    let mut group: Vec<[f64; 2]> = Vec::new();
    for point in points {
        if group.first().is_some_and(|first| column(first) != column(&point)) {
            extremes(&group, &mut kept);
            group.clear();
        }
        group.push(point);
    }
    extremes(&group, &mut kept);
    kept
}

fn extremes(group: &[[f64; 2]], kept: &mut Vec<[f64; 2]>) {
    if group.len() <= 4 {
        kept.extend_from_slice(group);
        return;
    }
    let by_height = |a: &usize, b: &usize| group[*a][1].total_cmp(&group[*b][1]);
    let lowest = (0..group.len()).min_by(by_height).unwrap_or(0);
    let highest = (0..group.len()).max_by(by_height).unwrap_or(0);
    let mut wanted = [0, lowest.min(highest), lowest.max(highest), group.len() - 1].to_vec();
    wanted.dedup();
    kept.extend(wanted.into_iter().map(|i| group[i]));
}
