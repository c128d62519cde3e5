//! The program `lawine`.

fn main() {}
