//! The words of a scene file that no solver knows.

use lawine_settings::Word;

/// A coordinate axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Word)]
pub enum Axis {
    /// The first axis.
    X,
    /// The second axis; up in most scenes.
    Y,
    /// The third axis; there is none in a plane.
    Z,
}

impl Axis {
    /// 0, 1 or 2.
    pub fn index(self) -> usize {
        self as usize
    }
}

/// A side of a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Word)]
pub enum Side {
    /// The side at the smallest x.
    #[setting(name = "-x")]
    NegX,
    /// The side at the largest x.
    #[setting(name = "+x")]
    PosX,
    /// The side at the smallest y.
    #[setting(name = "-y")]
    NegY,
    /// The side at the largest y.
    #[setting(name = "+y")]
    PosY,
    /// The side at the smallest z.
    #[setting(name = "-z")]
    NegZ,
    /// The side at the largest z.
    #[setting(name = "+z")]
    PosZ,
}

impl Side {
    /// The axis this side is perpendicular to.
    pub fn axis(self) -> Axis {
        match self {
            Self::NegX | Self::PosX => Axis::X,
            Self::NegY | Self::PosY => Axis::Y,
            Self::NegZ | Self::PosZ => Axis::Z,
        }
    }

    /// Whether the side lies at the larger coordinate.
    pub fn is_upper(self) -> bool {
        matches!(self, Self::PosX | Self::PosY | Self::PosZ)
    }
}

/// What happens to a mesh with holes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Word)]
pub enum Holes {
    /// An error.
    Refuse,
    /// Fill what is mostly enclosed, by the winding number.
    Fill,
}

/// The lattice on which matter starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Word)]
pub enum Lattice {
    /// Square, or cubic in 3D: rows that fit walls.
    Square,
    /// Hexagonal, close to the arrangement in a liquid that has flowed; only in a plane.
    Hexagonal,
}

/// Mapping of values to colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Word)]
pub enum ColorScale {
    /// Linear over the range.
    Linear,
    /// Linear from the smallest to the largest value in each picture.
    MinMax,
    /// Decimal logarithm.
    Log10,
    /// Binary logarithm.
    Log2,
    /// A single colour.
    OneColor,
}

/// The format of saved surfaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Word)]
pub enum SurfaceFormat {
    /// Binary PLY, with normals and values.
    Ply,
    /// OBJ, with normals.
    Obj,
    /// VTK, in the collection of the frames.
    Vtk,
}

impl SurfaceFormat {
    /// How names of files of any format end.
    pub const ENDINGS: [&'static str; 3] = ["ply", "obj", "vtp"];

    /// How names of its files end.
    pub fn ending(self) -> &'static str {
        Self::ENDINGS[self as usize]
    }
}

/// Which edges are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Word)]
pub enum Lines {
    /// Visible edges only.
    Visible,
    /// All edges, including hidden ones.
    All,
    /// All edges, hidden ones faintly.
    Mixed,
    /// None.
    None,
}

/// How pictures are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Word)]
pub enum Quality {
    /// In a tenth of a second.
    Quick,
    /// In space with traced light, in many seconds: water refracts, shadows are soft.
    Final,
}

/// What liquid looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Word)]
pub enum LiquidLook {
    /// Clear and blue in depth.
    Water,
    /// Clear and amber.
    Honey,
    /// White.
    Milk,
}

/// What grains look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Word)]
pub enum GrainLook {
    /// Tones of sand.
    Sand,
    /// Tones of grey stone.
    Stone,
    /// White; cubes have pips.
    Dice,
}
