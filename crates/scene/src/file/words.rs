//! The words a scene file may use where one of a few is meant.

use serde::{Deserialize, Serialize};

/// Declares an enum whose variants are words in a scene file, with the list of those words.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum $name {
            $($(#[$variant_doc])* #[serde(rename = $word)] $variant,)+
        }

        impl $name {
            /// The words, as a scene file spells them, in the order of the variants.
            pub const WORDS: &'static [&'static str] = &[$($word),+];

            /// The word of this variant, as a scene file spells it.
            pub fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.word())
            }
        }
    };
}

words! {
    /// A coordinate axis.
    Axis {
        /// The first axis.
        X = "x",
        /// The second axis; up in most scenes.
        Y = "y",
        /// The third axis; there is none in a plane.
        Z = "z",
    }
}

impl Axis {
    /// 0, 1 or 2.
    pub fn index(self) -> usize {
        self as usize
    }
}

words! {
    /// A side of a container.
    Side {
        /// The side at the smallest x.
        NegX = "-x",
        /// The side at the largest x.
        PosX = "+x",
        /// The side at the smallest y.
        NegY = "-y",
        /// The side at the largest y.
        PosY = "+y",
        /// The side at the smallest z.
        NegZ = "-z",
        /// The side at the largest z.
        PosZ = "+z",
    }
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

words! {
    /// What happens to particles that leave the domain.
    Leaving {
        /// The run stops with an error.
        Error = "error",
        /// The particles are removed.
        Remove = "remove",
    }
}

words! {
    /// What happens to a mesh with holes.
    Holes {
        /// It is an error.
        Refuse = "refuse",
        /// What is mostly enclosed is filled, by the winding number.
        Fill = "fill",
    }
}

words! {
    /// How neighbours are found; all ways give the same result.
    NeighborSearch {
        /// A compact uniform grid, filled by counting sort.
        Grid = "grid",
        /// Spatial hashing, for scenes without bounds.
        Hash = "hash",
        /// Every pair is looked at: the reference, for small scenes.
        BruteForce = "brute-force",
    }
}

words! {
    /// The smoothing kernel.
    KernelShape {
        /// The cubic spline of Monaghan and Lattanzio (1985).
        CubicSpline = "cubic-spline",
        /// The C2 function of Wendland (1995).
        WendlandC2 = "wendland-c2",
    }
}

words! {
    /// How the pressure of a liquid is found.
    PressureMethod {
        /// From the density of each particle, by an equation of state.
        Eos = "eos",
        /// By a system that keeps the density constant (Ihmsen et al. 2014).
        Iisph = "iisph",
        /// By two systems, for constant density and no divergence (Bender & Koschier 2017).
        Dfsph = "dfsph",
    }
}

words! {
    /// How the pressure system of a liquid is solved.
    LinearSolver {
        /// Relaxed Jacobi iterations.
        Jacobi = "jacobi",
        /// Jacobi iterations with momentum: far fewer of them for deep liquid.
        Accelerated = "accelerated",
    }
}

words! {
    /// How viscosity acts on a liquid.
    ViscositySolver {
        /// As a force; limits the step.
        Explicit = "explicit",
        /// By a system, for thick liquids (Weiler et al. 2018).
        Implicit = "implicit",
    }
}

words! {
    /// What happens when a solver has done all the iterations it may.
    Unsolved {
        /// The report shows the error that is left.
        Report = "report",
        /// The run stops with an error.
        Error = "error",
    }
}

words! {
    /// How bodies are covered with boundary particles.
    BoundaryMethod {
        /// In layers, each particle like one of the liquid (Hunkler 2022, 4.2).
        Layers = "layers",
        /// In one layer of particles with volumes of their own (Akinci et al. 2012).
        Volumes = "volumes",
    }
}

words! {
    /// How walls count in the density and in the force of pressure.
    WallPressure {
        /// The force is the derivative of the density: walls keep the energy.
        Consistent = "consistent",
        /// Walls show the pressure of the particle that asks (Hunkler 2022, 4.2): they make energy.
        Mirror = "mirror",
    }
}

words! {
    /// The lattice on which liquid starts.
    Lattice {
        /// Squares, or cubes in space: rows that fit walls.
        Square = "square",
        /// Equilateral triangles, which liquid that has flowed comes close to; only in a plane.
        Hexagonal = "hexagonal",
    }
}

words! {
    /// The equation of state: pressure from density.
    EquationOfState {
        /// p = k (rho / rho0 - 1).
        Linear = "linear",
        /// p = k / gamma ((rho / rho0)^gamma - 1).
        Tait = "tait",
    }
}

words! {
    /// Where in its share of a cell a particle of snow starts.
    Placing {
        /// At random, so that no direction is preferred.
        Jittered = "jittered",
        /// In the middle.
        Regular = "regular",
    }
}

words! {
    /// Interpolation between particles and grid.
    Spline {
        /// Quadratic B-splines: three nodes along each axis.
        Quadratic = "quadratic",
        /// Cubic B-splines, as in Meyer's thesis: four nodes along each axis.
        Cubic = "cubic",
    }
}

words! {
    /// How velocities go between particles and grid.
    Transfer {
        /// Affine particle-in-cell with moving least squares: keeps angular momentum.
        Apic = "apic",
        /// FLIP blended with PIC, as in Meyer's thesis.
        Flip = "flip",
    }
}

words! {
    /// How grid velocities advance.
    MatterIntegrator {
        /// With the forces of the beginning of the step.
        Explicit = "explicit",
        /// With those of its end (Stomakhin et al. 2013): longer steps.
        SemiImplicit = "semi-implicit",
    }
}

words! {
    /// Where particles of snow have their volumes from.
    ParticleVolume {
        /// From their number in a cell.
        Given = "given",
        /// From the density on the grid in the first step, as in Meyer's thesis.
        FromGrid = "from-grid",
    }
}

words! {
    /// Kinds of snow.
    SnowKind {
        /// Stomakhin's and Meyer's standard.
        Dry = "dry",
        /// Forms chunks and sticks.
        Wet = "wet",
        /// Stiff and brittle: breaks in hard pieces.
        Icy = "icy",
        /// Soft and ductile: spreads.
        Slushy = "slushy",
        /// Bursts into powder.
        Powder = "powder",
    }
}

words! {
    /// Classes of snow by density (Meyer, Table 1, after the German weather service).
    SnowClass {
        /// New snow, 50 to 150 kg/m³.
        New = "new",
        /// Powder snow, 100 to 200 kg/m³.
        Powder = "powder",
        /// Granular snow, 150 to 450 kg/m³.
        Granular = "granular",
        /// Settled snow, 350 to 600 kg/m³.
        Settled = "settled",
        /// Firn, 500 to 850 kg/m³.
        Firn = "firn",
        /// Glacier snow and glacier ice, 700 to 900 kg/m³.
        Glacier = "glacier",
    }
}

words! {
    /// Where the elasticity of snow comes from.
    SnowElasticity {
        /// From its kind.
        Kind = "kind",
        /// From its density (Sigrist 2006).
        Density = "density",
    }
}

words! {
    /// How the overlap of two grains pushes them apart.
    ContactLaw {
        /// From an energy that goes with the volume to the power of 3/2.
        ThreeHalves = "v3/2",
        /// From an energy that goes with the volume squared.
        Square = "v2",
        /// Proportional to the volume (Matuttis and Chen 2014); not from an energy.
        Matuttis = "matuttis",
    }
}

words! {
    /// How grains are moved.
    GrainIntegrator {
        /// Velocity Verlet with a symplectic rotation: keeps energy and angular momentum.
        Symplectic = "symplectic",
        /// Gear's predictor and corrector (Schinner 3.7).
        Gear = "gear",
    }
}

words! {
    /// What forces depend on, for c0 of Gear's method.
    GearForces {
        /// On positions only: c0 as Gear gives it.
        Position = "position",
        /// On velocities, too: a larger c0 for five and six values.
        Velocity = "velocity",
    }
}

words! {
    /// How the boxes around grains are found.
    BoxMethod {
        /// The smallest box, from the extreme corners.
        MinMax = "min-max",
        /// The box of the ellipsoid around the grain.
        Ellipsoid = "ellipsoid",
        /// The faster of the two, by the number of corners.
        Auto = "auto",
    }
}

words! {
    /// How overlapping boxes are found.
    BroadPhase {
        /// Three sorted lists, kept from step to step.
        Sweep = "sweep",
        /// A uniform grid with a skin.
        Grid = "grid",
    }
}

words! {
    /// A regular body.
    PlatonicSolid {
        /// 4 triangles.
        Tetrahedron = "tetrahedron",
        /// 6 squares.
        Cube = "cube",
        /// 8 triangles.
        Octahedron = "octahedron",
        /// 12 pentagons.
        Dodecahedron = "dodecahedron",
        /// 20 triangles.
        Icosahedron = "icosahedron",
    }
}

words! {
    /// How the corners of a grain are spread over its ellipsoid.
    Spread {
        /// Evenly: the same grain for every seed.
        Even = "even",
        /// At random.
        Random = "random",
    }
}

words! {
    /// What stands for a mesh that may be concave.
    Convex {
        /// Its convex hull.
        Hull = "hull",
        /// Several convex parts, as one rigid body.
        Parts = "parts",
    }
}

words! {
    /// How values become colours.
    ColorScale {
        /// Evenly from one end of the range to the other.
        Linear = "linear",
        /// The same, from the smallest to the largest value in each picture.
        MinMax = "min-max",
        /// By their decimal logarithm.
        Log10 = "log10",
        /// By their binary logarithm.
        Log2 = "log2",
        /// One colour for all.
        OneColor = "one-color",
    }
}

words! {
    /// The format of saved surfaces.
    SurfaceFormat {
        /// Binary PLY, with normals and values.
        Ply = "ply",
        /// OBJ, with normals.
        Obj = "obj",
        /// VTK, in the collection of the frames.
        Vtk = "vtk",
    }
}

impl SurfaceFormat {
    /// How names of files of any format end.
    pub const ENDINGS: [&'static str; 3] = ["ply", "obj", "vtp"];

    /// How names of its files end.
    pub fn ending(self) -> &'static str {
        Self::ENDINGS[self as usize]
    }
}

words! {
    /// Which edges are drawn.
    Lines {
        /// Those that nothing hides.
        Visible = "visible",
        /// All, also through bodies.
        All = "all",
        /// All, the hidden ones faintly.
        Mixed = "mixed",
        /// None.
        None = "none",
    }
}
