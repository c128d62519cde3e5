//! WGSL from templates: lines `#if NAME`, `#else`, `#for k COUNT` and `#end` choose and repeat text.
//!
//! Loops over a stencil are unrolled this way, so that sums stay in registers.

use std::collections::BTreeMap;

/// Names that templates may use, with their values; a condition holds when its value is not zero.
#[derive(Clone, Debug, Default)]
pub(crate) struct Constants(BTreeMap<&'static str, u32>);

impl Constants {
    pub(crate) fn set(&mut self, name: &'static str, value: u32) {
        self.0.insert(name, value);
    }

    pub(crate) fn get(&self, name: &str) -> u32 {
        self.0.get(name).copied().unwrap_or(0)
    }

    /// The constants as WGSL.
    pub(crate) fn declare(&self) -> String {
        let line = |(name, value): (&&'static str, &u32)| match *name {
            "CUBIC" => format!("const CUBIC: bool = {};\n", *value != 0),
            "INVERSE_MOMENT" => format!("const INVERSE_MOMENT: f32 = {value}.0;\n"),
            name => format!("const {name}: u32 = {value}u;\n"),
        };
        self.0.iter().map(line).collect()
    }

    /// Writes a template out.
    pub(crate) fn expand(&self, template: &str) -> String {
        let lines: Vec<&str> = template.lines().collect();
        let mut out = String::new();
        self.block(&lines, &[], &mut out);
        out
    }

    fn block(&self, lines: &[&str], values: &[(&str, u32)], out: &mut String) {
        let mut at = 0;
        while at < lines.len() {
            let words: Vec<&str> = lines[at].split_whitespace().collect();
            let (Some(&word), name) = (words.first(), words.get(1).copied().unwrap_or("")) else {
                out.push('\n');
                at += 1;
                continue;
            };
            if word != "#if" && word != "#for" {
                let mut line = lines[at].to_owned();
                for (name, value) in values {
                    line = line.replace(&format!("${name}"), &value.to_string());
                }
                out.push_str(&line);
                out.push('\n');
                at += 1;
                continue;
            }
            let (middle, end) = extent(lines, at);
            let (yes, no) = (&lines[at + 1..middle], &lines[(middle + 1).min(end)..end]);
            if word == "#if" {
                self.block(if self.get(name) != 0 { yes } else { no }, values, out);
            } else {
                let count = words.get(2).copied().unwrap_or("0");
                for k in 0..count.parse().unwrap_or_else(|_| self.get(count)) {
                    let mut inner = values.to_vec();
                    inner.push((name, k));
                    self.block(yes, &inner, out);
                }
            }
            at = end + 1;
        }
    }
}

/// Lines of the `#else` and the `#end` that belong to the line `start`; both are the end if there is
/// no `#else`.
fn extent(lines: &[&str], start: usize) -> (usize, usize) {
    let (mut depth, mut middle) = (0, None);
    for (k, line) in lines.iter().enumerate().skip(start) {
        match line.split_whitespace().next() {
            Some("#if" | "#for") => depth += 1,
            Some("#else") if depth == 1 => middle = Some(k),
            Some("#end") => {
                depth -= 1;
                if depth == 0 {
                    return (middle.unwrap_or(k), k);
                }
            }
            _ => {}
        }
    }
    (middle.unwrap_or(lines.len()), lines.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_and_loops_are_written_out() {
        let mut constants = Constants::default();
        constants.set("W", 2);
        constants.set("YES", 1);
        let template = "#for j W\n#for k 2\na_$j_$k\n#if YES\nyes\n#else\nno\n#end\n#end\n#end\nb";
        let expected = "a_0_0\nyes\na_0_1\nyes\na_1_0\nyes\na_1_1\nyes\nb\n";
        assert_eq!(constants.expand(template), expected);
        assert_eq!(constants.expand("#if NO\nx\n#end\ny"), "y\n");
        assert_eq!(constants.declare(), "const W: u32 = 2u;\nconst YES: u32 = 1u;\n");
    }
}
