//! Clicks and keys from the command line, for tests and for the pictures of the book.

use eframe::egui::{Event, Key, Modifiers, PointerButton, Pos2, Rect};

/// Something that happens at a frame.
#[derive(Clone, Debug, PartialEq)]
pub enum ScriptCommand {
    /// Press and release of a mouse button at a place of the view, in parts of its size.
    Click(PointerButton, [f32; 2]),
    /// Press and release of a key.
    Key(Key),
    /// A screenshot into a file of this name.
    Shot(String),
    /// A line of an order for the viewer: `tab NAME`, `tool NAME`, `open SCENE`, `set KEY=VALUE`,
    /// `fastest`, or `until TIME`, before which no frame counts.
    Tell(String),
    /// The end.
    Quit,
}

/// Deeds and the frames at which they happen.
#[derive(Clone, Debug, Default)]
pub struct Script {
    commands: Vec<(u64, ScriptCommand)>,
}

impl Script {
    /// Reads `FRAME DEED …; FRAME DEED …`, such as `50 click 0.5 0.3; 60 key H; 99 quit`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let lines = text.split(';').map(str::trim).filter(|line| !line.is_empty());
        let commands = lines.map(|line| {
            parse_line(line).ok_or_else(|| {
                format!(
                    "`{line}` is not a command; allowed: FRAME click X Y, FRAME right X Y, FRAME key \
                     NAME, FRAME shot FILE, FRAME tell …, FRAME quit"
                )
            })
        });
        Ok(Self { commands: commands.collect::<Result<_, _>>()? })
    }

    /// What happens at a frame.
    pub fn at(&self, frame: u64) -> impl Iterator<Item = &ScriptCommand> {
        self.commands.iter().filter(move |(when, _)| *when == frame).map(|(_, command)| command)
    }

    /// Whether there is nothing to do at all.
    pub fn is_empty(&self) -> bool {
        self.commands.is_empty()
    }
}

fn parse_line(line: &str) -> Option<(u64, ScriptCommand)> {
    let (frame, rest) = line.split_once(' ')?;
    let (verb, rest) = rest.trim().split_once(' ').unwrap_or((rest.trim(), ""));
    let place = || {
        let (x, y) = rest.trim().split_once(' ')?;
        Some([x.trim().parse().ok()?, y.trim().parse().ok()?])
    };
    let command = match verb {
        "click" => ScriptCommand::Click(PointerButton::Primary, place()?),
        "right" => ScriptCommand::Click(PointerButton::Secondary, place()?),
        "key" => ScriptCommand::Key(Key::from_name(rest.trim())?),
        "shot" if !rest.is_empty() => ScriptCommand::Shot(rest.trim().to_owned()),
        "tell" if !rest.is_empty() => ScriptCommand::Tell(rest.trim().to_owned()),
        "quit" => ScriptCommand::Quit,
        _ => return None,
    };
    Some((frame.parse().ok()?, command))
}

/// The events of a command, as the window system would send them; `view` is where the scene is seen.
pub fn events(command: &ScriptCommand, view: Rect) -> Vec<Event> {
    let modifiers = Modifiers::NONE;
    match command {
        ScriptCommand::Click(button, [x, y]) => {
            let pos = Pos2::new(view.left() + x * view.width(), view.top() + y * view.height());
            let press = |pressed| Event::PointerButton { pos, button: *button, pressed, modifiers };
            vec![Event::PointerMoved(pos), press(true), press(false)]
        }
        ScriptCommand::Key(key) => {
            let press = |pressed| Event::Key {
                key: *key,
                physical_key: None,
                pressed,
                repeat: false,
                modifiers,
            };
            vec![press(true), press(false)]
        }
        ScriptCommand::Shot(_) | ScriptCommand::Tell(_) | ScriptCommand::Quit => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_read() {
        let script =
            Script::parse("5 click 0.5 0.25; 5 key F12; 9 shot a b.png; 10 quit;").unwrap();
        let commands: Vec<&ScriptCommand> = script.at(5).collect();
        assert_eq!(
            commands,
            [
                &ScriptCommand::Click(PointerButton::Primary, [0.5, 0.25]),
                &ScriptCommand::Key(Key::F12)
            ]
        );
        assert_eq!(script.at(9).next(), Some(&ScriptCommand::Shot("a b.png".to_owned())));
        assert_eq!(script.at(6).count(), 0);
        assert!(Script::parse("5 jump").unwrap_err().contains("`5 jump`"));
        assert!(Script::parse("click 1 2").is_err());
    }

    #[test]
    fn a_click_is_a_press_and_a_release_in_the_view() {
        let view = Rect::from_min_max(Pos2::new(100.0, 0.0), Pos2::new(300.0, 100.0));
        let events = events(&ScriptCommand::Click(PointerButton::Primary, [0.5, 0.5]), view);
        assert_eq!(events[0], Event::PointerMoved(Pos2::new(200.0, 50.0)));
        assert_eq!(events.len(), 3);
    }
}
