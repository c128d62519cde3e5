//! Derived settings, read and written.

use crate::{Default, Kind, Magnitudes, Settings, Value, Word, problems, read, schema};

/// How it is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Word)]
enum Way {
    /// The short way.
    Short,
    /// The long way round.
    RoundAbout,
    /// With a name of its own.
    #[setting(name = "v3/2")]
    Odd,
}

/// A ball.
#[derive(Clone, Debug, PartialEq, Settings)]
struct Ball {
    /// Radius [m].
    #[setting(above = 0)]
    radius: f64,
}

/// A box.
#[derive(Clone, Debug, PartialEq, Settings)]
struct Cube {
    /// Edges [m].
    #[setting(above = 0)]
    edges: [f64; 2],
}

/// A shape.
#[derive(Clone, Debug, PartialEq, Settings)]
enum Shape {
    /// A ball.
    Ball(Ball),
    /// A box.
    HollowBox(Cube),
}

/// A thing.
#[derive(Clone, Debug, PartialEq, Settings)]
struct Thing {
    /// Name.
    #[setting(filled)]
    name: String,
    /// Shape.
    #[setting(one_of)]
    shape: Shape,
}

/// All optional.
#[derive(Clone, Debug, PartialEq, Settings)]
struct Options {
    /// Factor λ [1], of the
    /// second line.
    ///
    /// More than anybody wants to know.
    #[setting(default = 0.4, above = 0, at_most = 1)]
    factor: f64,
    /// Number of times [1].
    #[setting(default = 2, at_least = 2, at_most = 3)]
    count: u32,
    /// The way.
    #[setting(default = Way::Short, of = "liquid snow")]
    way: Way,
    /// End time [s].
    #[setting(without = "never")]
    end: Option<f64>,
    /// Words.
    #[setting(default = "speed")]
    text: String,
}

/// A file.
#[derive(Clone, Debug, PartialEq, Settings)]
struct File {
    /// Options.
    #[setting(default)]
    options: Options,
    /// Things.
    #[setting(default, fixed)]
    thing: Vec<Thing>,
    /// Ways.
    #[setting(default)]
    ways: Vec<Way>,
}

const UNITS: &[Magnitudes] = &[Magnitudes { unit: "m", least: 1e-9, most: 1e6 }];

fn file(options: Vec<(&str, Value)>, thing: Vec<(&str, Value)>) -> Value {
    Value::table([("options", Value::table(options)), ("thing", vec![Value::table(thing)].into())])
}

fn ball(radius: Value) -> Vec<(&'static str, Value)> {
    vec![("name", "a".into()), ("ball", Value::table([("radius", radius)]))]
}

fn messages(value: &Value) -> Vec<String> {
    read::<File>(value, UNITS).unwrap_err().into_iter().map(|problem| problem.message).collect()
}

#[test]
fn what_is_read_can_be_written() {
    let found: File =
        read(&file(vec![("way", "v3/2".into())], ball(Value::Integer(2))), UNITS).unwrap();
    assert_eq!(found.options, Options { way: Way::Odd, ..Options::default() });
    assert_eq!(found.thing[0].shape, Shape::Ball(Ball { radius: 2.0 }));
    assert_eq!(found.thing[0].shape.word(), "ball");
    let mut table = Vec::new();
    found.write_keys(&mut table);
    let written = Value::Table(table);
    assert_eq!(read::<File>(&written, UNITS).unwrap(), found);
    let keys: Vec<_> =
        File::TABLE_REF.leaves(&written).into_iter().map(|leaf| (leaf.key, leaf.fixed)).collect();
    assert_eq!(keys[3], ("options.text".to_owned(), false));
    assert_eq!(keys[5], ("thing.0.ball.radius".to_owned(), true));
}

impl File {
    const TABLE_REF: &'static crate::Table = &<Self as Settings>::TABLE;
}

#[test]
fn every_problem_is_found_at_once() {
    let options = vec![
        ("factor", 1.5.into()),
        ("count", Value::Integer(4)),
        ("way", "rond-about".into()),
        ("wya", true.into()),
        ("end", "never".into()),
    ];
    let found = messages(&file(options, vec![("name", " ".into()), ("bal", 1.0.into())]));
    let expected = [
        "options.wya is not a key here (did you mean options.way?); allowed: factor, count, way, end, text",
        "options.factor = 1.5 is not allowed; allowed: above 0 and at most 1",
        "options.count = 4 is not allowed; allowed: 2 or 3",
        "options.way = \"rond-about\" is not allowed (did you mean \"round-about\"?); allowed: \"short\", \
         \"round-about\", \"v3/2\"",
        "options.end = \"never\" is not allowed; allowed: a finite number",
        "thing.0.bal is not a key here (did you mean thing.0.ball?); allowed: name, ball, hollow-box",
        "thing.0 needs exactly one of the keys ball, hollow-box",
        "thing.0.name = \"\" is not allowed; allowed: text that is not empty",
    ];
    assert_eq!(found, expected);
}

#[test]
fn numbers_have_ranges_and_magnitudes() {
    let of = |radius: f64| messages(&file(vec![], ball(radius.into())));
    let radius = "thing.0.ball.radius";
    assert_eq!(of(0.0), [format!("{radius} = 0.0 is not allowed; allowed: above 0 m")]);
    assert_eq!(
        of(f64::NAN),
        [format!("{radius} = nan is not allowed; allowed: a finite number, above 0 m")]
    );
    let magnitude = "allowed: zero, or 1e-9 to 1e6 m with either sign";
    assert_eq!(of(1e7), [format!("{radius} = 1e7 is not allowed; {magnitude}")]);
    let cube = |edges: Vec<Value>| {
        let cube = Value::table([("edges", edges.into())]);
        messages(&file(vec![], vec![("name", "a".into()), ("hollow-box", cube)]))
    };
    let edges = "thing.0.hollow-box.edges";
    let positive = format!("{edges} = [1.0, 0.0] is not allowed; allowed: every number above 0 m");
    assert_eq!(cube(vec![1.0.into(), 0.0.into()]), [positive]);
    let far = format!("{edges}.1 = 1e9 is not allowed; allowed: at most 1e6 m with either sign");
    assert_eq!(cube(vec![1.0.into(), 1e9.into()]), [far]);
    let bad = File { thing: Vec::new(), ..file_of(f64::INFINITY) };
    assert_eq!(problems(&bad, UNITS).len(), 1);
}

fn file_of(factor: f64) -> File {
    File { options: Options { factor, ..Options::default() }, thing: Vec::new(), ways: Vec::new() }
}

#[test]
fn descriptions_say_what_the_documentation_says() {
    let table = File::TABLE_REF;
    let factor = table.find(["options", "factor"]).unwrap();
    assert_eq!(factor.help, "Factor λ, of the second line");
    assert_eq!(factor.allowed(), "a finite number, above 0 and at most 1");
    let radius = table.find(["thing", "7", "ball", "radius"]).unwrap();
    assert_eq!((radius.unit, radius.is_needed()), ("m", true));
    assert_eq!(table.find(["thing", "ball", "radius"]).unwrap().help, "Radius");
    assert!(table.find(["thing", "ball", "diameter"]).is_none());
    let ball = &Ball::TABLE;
    assert!(ball.check([("radius", 1.0)]).is_ok());
    let error = ball.check([("radius", -1.0)]).unwrap_err().to_string();
    assert_eq!(error, "radius = -1 is not allowed; allowed: a finite number, above 0 m");
    assert!(ball.check([("radius", f64::INFINITY)]).is_err());
    let end = table.find(["options", "end"]).unwrap();
    assert!(matches!(end.default, Default::Open("never")));
    let way = table.find(["options", "way"]).unwrap();
    assert_eq!(way.of, "liquid snow");
    let Kind::Word(words) = way.kind else { panic!("a word") };
    assert_eq!(words[1].help, "The long way round");
    assert_eq!(table.all().len(), 13);
}

#[test]
fn the_schema_has_bounds_words_and_defaults() {
    let text = schema(File::TABLE_REF, "A file");
    for line in [
        "\"exclusiveMinimum\": 0",
        "\"default\": 0.4",
        "\"round-about\"",
        "\"The long way round\"",
        "\"description\": \"Radius [m]\"",
        "\"minItems\": 2",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
}

/// A ball with more keys before and after those of what it is made of.
#[derive(Clone, Debug, PartialEq, Settings)]
struct Heavy {
    /// Name.
    name: String,
    /// The ball.
    #[setting(flatten)]
    ball: Ball,
    /// The box around it.
    #[setting(flatten)]
    cube: Cube,
    /// Mass [kg].
    #[setting(default = 2.0, above = 0)]
    mass: f64,
}

#[test]
fn keys_of_a_flattened_table_stand_beside_the_others() {
    assert_eq!(<Heavy as Settings>::TABLE.names(), "name, radius, edges, mass");
    let keys = |radius: f64| {
        let edges = vec![Value::Number(1.0), Value::Number(3.0)].into();
        Value::table([("name", "a".into()), ("radius", radius.into()), ("edges", edges)])
    };
    let heavy: Heavy = read(&keys(0.5), UNITS).unwrap();
    let (ball, cube) = (Ball { radius: 0.5 }, Cube { edges: [1.0, 3.0] });
    assert_eq!(heavy, Heavy { name: "a".into(), ball, cube, mass: 2.0 });
    let mut written = Vec::new();
    heavy.write_keys(&mut written);
    assert_eq!(read::<Heavy>(&Value::Table(written), UNITS).unwrap(), heavy);
    let problem = &read::<Heavy>(&keys(-1.0), UNITS).unwrap_err()[0];
    assert_eq!(problem.message, "radius = -1.0 is not allowed; allowed: above 0 m");
    let missing = read::<Heavy>(&Value::table([("name", "a".into())]), UNITS).unwrap_err();
    assert!(
        missing.iter().any(|problem| problem.message.contains("radius is missing")),
        "{missing:?}"
    );
}
