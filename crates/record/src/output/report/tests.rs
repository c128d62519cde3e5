use super::*;
use crate::output::series::{Column, Series};
use crate::output::summary::Status;

const EVIL: &str = "<script>alert(\"1\")</script> & 'more'";

fn report<'a>(summary: &'a Summary, text: &'a str) -> Report<'a> {
    Report {
        title: text,
        description: text,
        pictures: &[],
        movie: None,
        figures: &[],
        plots: &[],
        summary,
        parameters: &[],
        command: text,
        scene_text: text,
    }
}

#[test]
fn every_text_is_escaped() {
    let summary = Summary {
        scene: EVIL.to_owned(),
        method: EVIL.to_owned(),
        device: EVIL.to_owned(),
        version: EVIL.to_owned(),
        message: Some(EVIL.to_owned()),
        state_hash: EVIL.to_owned(),
        phases: vec![(EVIL.to_owned(), 1.0)],
        ..Summary::default()
    };
    let name = format!("{EVIL} [{EVIL}]");
    let columns =
        ["t", &name, EVIL].map(|name| Column { name: name.to_owned(), values: vec![1.0] });
    let series = Series { columns: columns.to_vec() };
    let html = Report {
        pictures: &[Picture { caption: EVIL, png: b"x" }],
        movie: Some(Movie { file: EVIL, bytes: None }),
        plots: &standard_plots(&series),
        parameters: &[Parameter { key: EVIL, value: EVIL, unit: EVIL, help: EVIL }],
        ..report(&summary, EVIL)
    }
    .html();
    assert!(!html.contains("<script") && !html.contains("alert(\"1\")"));
    assert!(html.contains("&lt;script&gt;alert(&quot;1&quot;)"));
}

#[test]
fn nothing_is_asked_from_elsewhere() {
    let html = report(&Summary::default(), "Dam break").html();
    let without_namespace = html.replace("http://www.w3.org/2000/svg", "");
    assert!(!without_namespace.contains("http://") && !without_namespace.contains("https://"));
    assert!(html.contains("default-src 'none'"));
}

#[test]
fn movies_are_embedded_or_linked() {
    let summary = Summary::default();
    let with = |movie| Report { movie: Some(movie), ..report(&summary, "a") }.html();
    let small = with(Movie { file: "movie.mp4", bytes: Some(b"foobar") });
    assert!(small.contains("<video") && small.contains("data:video/mp4;base64,Zm9vYmFy"));
    let large = vec![0; MOVIE_LIMIT + 1];
    let large = with(Movie { file: "movie.mp4", bytes: Some(&large) });
    assert!(large.contains("href=\"movie.mp4\"") && !large.contains("base64"));
    let gif = with(Movie { file: "movie.gif", bytes: Some(b"foobar") });
    assert!(gif.contains("<img class=\"movie\" src=\"data:image/gif"));
}

#[test]
fn the_page_shows_what_it_was_given() {
    let summary = Summary {
        status: Status::Failed,
        message: Some("density of particle 12 is not finite".to_owned()),
        phases: vec![("neighbours".to_owned(), 3.0)],
        state_hash: "00ff00ff".to_owned(),
        ..Summary::default()
    };
    let parameters = [
        Parameter { key: "end", value: "2.0", unit: "s", help: "when to stop" },
        Parameter { key: "fluid.viscosity", value: "1e-6", unit: "m²/s", help: "kinematic" },
        Parameter { key: "fluid.density", value: "1000", unit: "kg/m³", help: "at rest" },
    ];
    let pictures = [Picture { caption: "t = 0.5 s", png: b"foobar" }];
    let base = report(&summary, "lawine run dam-break");
    let html = Report { parameters: &parameters, pictures: &pictures, ..base }.html();
    for part in [
        "particle 12",
        "class=\"status failed\">failed",
        "neighbours",
        "00ff00ff",
        "m²/s",
        "at rest",
        "t = 0.5 s",
        "data:image/png;base64,Zm9vYmFy",
        "<details>",
    ] {
        assert!(html.contains(part), "{part}");
    }
    assert_eq!(html.matches("<code>fluid</code>").count(), 1);
    for element in ["section", "figure", "table", "div", "p", "pre", "dl", "main", "svg"] {
        let opened = html.matches(&format!("<{element}>")).count()
            + html.matches(&format!("<{element} ")).count();
        assert_eq!(opened, html.matches(&format!("</{element}>")).count(), "{element}");
    }
}

#[test]
fn chosen_pictures_are_spread() {
    assert_eq!(choose_pictures(0), Vec::<usize>::new());
    assert_eq!(choose_pictures(3), [0, 1, 2]);
    assert_eq!(choose_pictures(101), [0, 20, 40, 60, 80, 100]);
    for available in 7..200 {
        let chosen = choose_pictures(available);
        assert_eq!((chosen[0], chosen[5]), (0, available - 1));
        assert!(chosen.windows(2).all(|pair| pair[0] < pair[1]));
    }
}
