//! `report.html`: a run on one self-contained page.

mod media;
mod numbers;
mod standard;

use std::fmt::Write as _;

pub use standard::{plot_title, standard_plots};

use super::summary::Summary;
use crate::plot::{Bars, Plot, escape};
pub use media::{base64, shrunk};
pub use numbers::number;
use numbers::{count, duration, percent, quantity};

/// A movie up to this size becomes part of the page; a larger one is only linked [bytes].
pub const MOVIE_LIMIT: usize = 12 << 20;
/// For the head of a page: makes sure that it makes no network requests.
pub const CONTENT_POLICY: &str = "<meta http-equiv=\"Content-Security-Policy\" \
    content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data: 'self' file:; \
    media-src data: 'self' file:\">";
/// Pictures in the strip; [`choose_pictures`] picks as many.
pub const STRIP_LENGTH: usize = 6;

/// Everything a report shows. Texts may hold any characters.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    /// Heading, such as the title of the scene.
    pub title: &'a str,
    /// A few sentences; an empty line begins a paragraph.
    pub description: &'a str,
    /// The picture strip, in the order of time.
    pub pictures: &'a [Picture<'a>],
    /// The movie, if there is one.
    pub movie: Option<Movie<'a>>,
    /// Figures that the scene asks for: caption and SVG element.
    pub figures: &'a [(String, String)],
    /// The plots; [`standard_plots`] makes the usual ones.
    pub plots: &'a [Plot],
    /// The numbers of the run.
    pub summary: &'a Summary,
    /// All parameters.
    pub parameters: &'a [Parameter<'a>],
    /// The command line that makes the run again.
    pub command: &'a str,
    /// The text of the resolved scene file.
    pub scene_text: &'a str,
}

/// One picture of the strip.
#[derive(Clone, Copy, Debug)]
pub struct Picture<'a> {
    /// Line below it, such as `t = 0.50 s`.
    pub caption: &'a str,
    /// The bytes of a PNG file of any size; wide ones are made smaller.
    pub png: &'a [u8],
}

/// The movie beside the report.
#[derive(Clone, Copy, Debug)]
pub struct Movie<'a> {
    /// File name relative to the report, such as `movie.mp4` or `movie.gif`.
    pub file: &'a str,
    /// Its bytes; without them, or above [`MOVIE_LIMIT`], the page only links the file.
    pub bytes: Option<&'a [u8]>,
}

/// One parameter of the scene.
#[derive(Clone, Copy, Debug)]
pub struct Parameter<'a> {
    /// Full key, such as `fluid.viscosity`; what is before the last dot is the group.
    pub key: &'a str,
    /// Value as in the scene file.
    pub value: &'a str,
    /// SI unit; empty for pure numbers and words.
    pub unit: &'a str,
    /// What it means.
    pub help: &'a str,
}

/// Up to [`STRIP_LENGTH`] of `available` things, evenly spread, the first and the last among them.
pub fn choose_pictures(available: usize) -> Vec<usize> {
    match available {
        0..=STRIP_LENGTH => (0..available).collect(),
        _ => (0..STRIP_LENGTH)
            .map(|i| (i * (available - 1) + (STRIP_LENGTH - 1) / 2) / (STRIP_LENGTH - 1))
            .collect(),
    }
}

impl Report<'_> {
    /// The page.
    pub fn html(&self) -> String {
        let mut page = String::new();
        let title = escape(self.title);
        let _ = write!(
            page,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             {CONTENT_POLICY}\n\
             <meta name=\"generator\" content=\"Lawine {}\">\n<title>{title}</title>\n\
             <style>\n{}</style>\n</head>\n<body>\n<main>\n",
            escape(&self.summary.version),
            include_str!("report/style.css"),
        );
        self.opening(&mut page);
        self.film(&mut page);
        self.strip(&mut page);
        self.measurements(&mut page);
        self.figures(&mut page);
        self.parameter_table(&mut page);
        self.number_list(&mut page);
        self.reproduction(&mut page);
        page + "</main>\n</body>\n</html>\n"
    }

    fn opening(&self, page: &mut String) {
        let s = self.summary;
        let status = s.status.name();
        let threads = if s.threads == 1 { "thread" } else { "threads" };
        let _ = write!(
            page,
            "<header>\n<h1>{}</h1>\n<p class=\"about\">{} · {} · {}, {} {threads} · \
             <span class=\"status {status}\">{status}</span></p>\n",
            escape(self.title),
            escape(&s.scene),
            escape(&s.method),
            escape(&s.device),
            s.threads,
        );
        for paragraph in self.description.split("\n\n").filter(|text| !text.trim().is_empty()) {
            let _ = writeln!(page, "<p>{}</p>", escape(paragraph.trim()));
        }
        if let Some(message) = &s.message {
            let _ = writeln!(page, "<p class=\"message\">{}</p>", escape(message));
        }
        for warning in &s.warnings {
            let _ = writeln!(page, "<p class=\"message\">Warning: {}.</p>", escape(warning));
        }
        for note in &s.notes {
            let _ = writeln!(page, "<p>{}.</p>", escape(note));
        }
        page.push_str("<div class=\"tiles\">\n");
        for (value, label) in [
            (count(s.particles), "particles"),
            (count(s.steps), "steps"),
            (quantity(s.simulated_time, "s"), "simulated"),
            (duration(s.wall_time), "wall time"),
            (quantity(s.ns_per_particle_step, "ns"), "per particle-step"),
        ]
        .into_iter()
        .chain(s.max_density_error.map(|error| (percent(error), "largest density error")))
        {
            let _ = writeln!(page, "<div><b>{}</b><span>{label}</span></div>", escape(&value));
        }
        page.push_str("</div>\n</header>\n");
    }

    fn film(&self, page: &mut String) {
        let Some(movie) = self.movie else { return };
        let file = escape(movie.file);
        let (kind, is_image) = match movie.file.rsplit('.').next() {
            Some("gif") => ("image/gif", true),
            Some("webm") => ("video/webm", false),
            _ => ("video/mp4", false),
        };
        let embedded = movie.bytes.filter(|bytes| bytes.len() <= MOVIE_LIMIT);
        let source = match embedded {
            Some(bytes) => format!("data:{kind};base64,{}", base64(bytes)),
            None => file.clone(),
        };
        page.push_str("<section class=\"film\">\n<h2>Movie</h2>\n");
        let _ = if is_image {
            writeln!(page, "<img class=\"movie\" src=\"{source}\" alt=\"Movie of the run\">")
        } else {
            writeln!(
                page,
                "<video class=\"movie\" controls loop muted playsinline src=\"{source}\"></video>"
            )
        };
        if embedded.is_none() {
            let _ = writeln!(
                page,
                "<p>The movie is the file <a href=\"{file}\">{file}</a> beside this page.</p>"
            );
        }
        page.push_str("</section>\n");
    }

    fn strip(&self, page: &mut String) {
        if self.pictures.is_empty() {
            return;
        }
        page.push_str("<section>\n<h2>Pictures</h2>\n<div class=\"strip\">\n");
        for picture in self.pictures {
            let caption = escape(picture.caption);
            let data = base64(&shrunk(picture.png));
            let _ = writeln!(
                page,
                "<figure><img src=\"data:image/png;base64,{data}\" alt=\"{caption}\">\
                 <figcaption>{caption}</figcaption></figure>"
            );
        }
        page.push_str("</div>\n</section>\n");
    }

    fn measurements(&self, page: &mut String) {
        if self.figures.is_empty() {
            return;
        }
        page.push_str("<section>\n<h2>Measurements</h2>\n<div class=\"plots\">\n");
        for (caption, svg) in self.figures {
            let caption = escape(caption);
            let _ = writeln!(page, "<figure><figcaption>{caption}</figcaption>{svg}</figure>");
        }
        page.push_str("</div>\n</section>\n");
    }

    fn figures(&self, page: &mut String) {
        if self.plots.is_empty() && self.summary.phases.is_empty() {
            return;
        }
        page.push_str("<section>\n<h2>Plots</h2>\n<div class=\"plots\">\n");
        for plot in self.plots {
            let caption = escape(&plot.title);
            let svg = plot.draw().svg();
            let _ = writeln!(page, "<figure><figcaption>{caption}</figcaption>{svg}</figure>");
        }
        if !self.summary.phases.is_empty() {
            let bars = Bars {
                title: "Time per phase".to_owned(),
                unit: "s".to_owned(),
                parts: Vec::new(),
                items: self
                    .summary
                    .phases
                    .iter()
                    .map(|(name, s)| (name.clone(), vec![*s]))
                    .collect(),
            };
            let (title, svg) = (&bars.title, bars.draw().svg());
            let _ = writeln!(page, "<figure><figcaption>{title}</figcaption>{svg}</figure>");
        }
        page.push_str("</div>\n</section>\n");
    }

    fn parameter_table(&self, page: &mut String) {
        if self.parameters.is_empty() {
            return;
        }
        page.push_str(
            "<section>\n<h2>Parameters</h2>\n<table>\n<thead><tr><th>key</th><th>value</th>\
             <th>unit</th><th>meaning</th></tr></thead>\n<tbody>\n",
        );
        let mut current = "";
        for parameter in self.parameters {
            let (group, key) = parameter.key.rsplit_once('.').unwrap_or(("", parameter.key));
            if group != current {
                current = group;
                let name = escape(if group.is_empty() { "general" } else { group });
                let _ = writeln!(
                    page,
                    "<tr><th colspan=\"4\" scope=\"rowgroup\"><code>{name}</code></th></tr>"
                );
            }
            let _ = writeln!(
                page,
                "<tr><td><code>{}</code></td><td class=\"value\">{}</td><td class=\"unit\">{}</td>\
                 <td class=\"help\">{}</td></tr>",
                escape(key),
                escape(parameter.value),
                escape(parameter.unit),
                escape(parameter.help),
            );
        }
        page.push_str("</tbody>\n</table>\n</section>\n");
    }

    fn number_list(&self, page: &mut String) {
        let s = self.summary;
        let energy = |value: Option<f64>| quantity(value.unwrap_or(f64::NAN), "J");
        let convergence = s.convergence.as_ref().map_or("no solver".to_owned(), |p| p.sentence());
        let rows = [
            ("Scene", s.scene.clone()),
            ("Method", s.method.clone()),
            ("Device", s.device.clone()),
            ("Threads", s.threads.to_string()),
            ("Particles", count(s.particles)),
            ("Steps", count(s.steps)),
            ("Simulated time", quantity(s.simulated_time, "s")),
            ("Wall time", duration(s.wall_time)),
            ("Processor time", duration(s.cpu_time)),
            ("Cost per particle and step", quantity(s.ns_per_particle_step, "ns")),
            ("Shortest step", quantity(s.dt_min, "s")),
            ("Mean step", quantity(s.dt_mean, "s")),
            ("Longest step", quantity(s.dt_max, "s")),
            ("Mean iterations", number(s.mean_iterations)),
            ("Solver convergence", convergence),
            ("Energy at the start", energy(s.energy_initial)),
            ("Energy at the end", energy(s.energy_final)),
        ];
        let some = [
            s.mean_density_error.map(|error| ("Mean density error", percent(error))),
            s.max_density_error.map(|error| ("Largest density error", percent(error))),
            s.explicit_limits.map(|ratio| ("Longest step in explicit limits", number(ratio))),
        ];
        page.push_str("<section>\n<h2>Numbers</h2>\n<dl class=\"numbers\">\n");
        let rows = rows
            .into_iter()
            .chain(some.into_iter().flatten())
            .map(|(name, value)| (name.to_owned(), value));
        let masses =
            s.bodies.iter().map(|b| (format!("Mass of {}", b.name), quantity(b.mass, "kg")));
        for (name, value) in rows.chain(masses) {
            let (name, value) = (escape(&name), escape(&value));
            let _ = writeln!(page, "<div><dt>{name}</dt><dd>{value}</dd></div>");
        }
        page.push_str("</dl>\n</section>\n");
    }

    fn reproduction(&self, page: &mut String) {
        let s = self.summary;
        let threads =
            if s.threads == 1 { "one thread".to_owned() } else { format!("{} threads", s.threads) };
        let _ = write!(
            page,
            "<section>\n<h2>How to reproduce</h2>\n<p>This run was made by Lawine {} with \
             {threads}:</p>\n<pre><code>{}</code></pre>\n",
            escape(&s.version),
            escape(self.command),
        );
        if !s.state_hash.is_empty() {
            let _ = writeln!(
                page,
                "<p>Equal runs end in equal bits: the final state of this one has the hash \
                 <code>{}</code>.</p>",
                escape(&s.state_hash)
            );
        }
        let _ = write!(
            page,
            "<details>\n<summary>The scene file with all values</summary>\n\
             <pre><code>{}</code></pre>\n</details>\n</section>\n",
            escape(self.scene_text)
        );
    }
}

#[cfg(test)]
mod tests;
