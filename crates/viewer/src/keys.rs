//! Key bindings: one table for the program, the help and the buttons.

use eframe::egui::Key;

/// Something a key or a button asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Shows or hides the help.
    Help,
    /// Goes to the next scene.
    NextScene,
    /// Removes all particles.
    Clear,
    /// Takes the next shape of the brush.
    NextBrush,
    /// Makes the brush higher or lower.
    BrushHeight(i32),
    /// Makes the brush wider or narrower.
    BrushWidth(i32),
    /// Saves the collected data.
    SaveData,
    /// Starts or stops collecting data.
    Collect,
    /// Takes a screenshot.
    Screenshot,
    /// Pauses or resumes the simulation.
    Pause,
    /// Makes one step.
    Step,
    /// Begins the scene again.
    Restart,
    /// Makes time faster or slower.
    Pace(i32),
    /// Walks around the scene, or moves the view in a plane: right and up.
    Walk(i32, i32),
    /// Goes closer or away.
    Zoom(i32),
    /// Shows the whole scene again.
    ResetView,
    /// Starts or stops recording a movie.
    Record,
    /// Opens a scene file or a run.
    Open,
    /// Saves the scene as it is now.
    SaveScene,
    /// Shows or hides the plots.
    Plots,
}

/// A key and what it does.
#[derive(Clone, Copy, Debug)]
pub struct Binding {
    /// The key.
    pub key: Key,
    /// What it asks for.
    pub action: Action,
    /// The words of the help.
    pub help: &'static str,
}

const fn bind(key: Key, action: Action, help: &'static str) -> Binding {
    Binding { key, action, help }
}

/// All keys: those of Meiers 6.2 first.
pub const BINDINGS: &[Binding] = &[
    bind(Key::H, Action::Help, "show or hide this help"),
    bind(Key::V, Action::NextScene, "next scene"),
    bind(Key::Delete, Action::Clear, "remove all particles"),
    bind(Key::Q, Action::NextBrush, "next brush: box, circle, single particle"),
    bind(Key::W, Action::BrushHeight(1), "higher brush"),
    bind(Key::S, Action::BrushHeight(-1), "lower brush"),
    bind(Key::D, Action::BrushWidth(1), "wider brush"),
    bind(Key::A, Action::BrushWidth(-1), "narrower brush"),
    bind(Key::F2, Action::Collect, "start or stop collecting data"),
    bind(Key::F1, Action::SaveData, "save the data as CSV"),
    bind(Key::F12, Action::Screenshot, "screenshot as PNG"),
    bind(Key::Space, Action::Pause, "pause or resume"),
    bind(Key::N, Action::Step, "single step"),
    bind(Key::R, Action::Restart, "restart the scene"),
    bind(Key::Period, Action::Pace(1), "faster"),
    bind(Key::Comma, Action::Pace(-1), "slower"),
    bind(Key::ArrowLeft, Action::Walk(-1, 0), "orbit left, or move the view"),
    bind(Key::ArrowRight, Action::Walk(1, 0), "orbit right, or move the view"),
    bind(Key::ArrowUp, Action::Walk(0, 1), "orbit up, or move the view"),
    bind(Key::ArrowDown, Action::Walk(0, -1), "orbit down, or move the view"),
    bind(Key::PageUp, Action::Zoom(1), "closer"),
    bind(Key::PageDown, Action::Zoom(-1), "away"),
    bind(Key::Home, Action::ResetView, "show the whole scene"),
    bind(Key::M, Action::Record, "start or stop recording a movie"),
    bind(Key::O, Action::Open, "open a scene file or a run"),
    bind(Key::T, Action::SaveScene, "save the scene as TOML"),
    bind(Key::P, Action::Plots, "show or hide the plots"),
];

/// What the mouse does, for the help.
pub const MOUSE: &[(&str, &str)] = &[
    ("left click", "place particles with the brush; show the values under the cursor"),
    ("left drag", "paint, stir with a body, or rotate the view in 3D"),
    ("right click", "erase with the brush"),
    ("middle drag", "move the view"),
    ("wheel", "zoom"),
];

/// What a key asks for.
pub fn action(key: Key) -> Option<Action> {
    BINDINGS.iter().find(|binding| binding.key == key).map(|binding| binding.action)
}

/// The key of an action, for the hints of buttons.
pub fn key_of(action: Action) -> Option<Key> {
    BINDINGS.iter().find(|binding| binding.action == action).map(|binding| binding.key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keys_are_those_of_meiers() {
        let expected = [
            (Key::H, Action::Help),
            (Key::V, Action::NextScene),
            (Key::Delete, Action::Clear),
            (Key::Q, Action::NextBrush),
            (Key::W, Action::BrushHeight(1)),
            (Key::S, Action::BrushHeight(-1)),
            (Key::A, Action::BrushWidth(-1)),
            (Key::D, Action::BrushWidth(1)),
            (Key::F2, Action::Collect),
            (Key::F1, Action::SaveData),
            (Key::F12, Action::Screenshot),
            (Key::Space, Action::Pause),
            (Key::R, Action::Restart),
        ];
        for (key, expected) in expected {
            assert_eq!(action(key), Some(expected), "{key:?}");
        }
    }

    #[test]
    fn no_key_and_no_action_occurs_twice() {
        for (i, a) in BINDINGS.iter().enumerate() {
            for b in &BINDINGS[..i] {
                assert!(a.key != b.key && a.action != b.action, "{a:?} {b:?}");
            }
            assert_eq!(key_of(a.action), Some(a.key));
        }
        assert_eq!(action(Key::F20), None);
    }
}
