//! The program from outside: what it writes, what it refuses, and what it says.

mod commands;
mod common;
mod devices;
mod files;
mod fitting;
mod matters;
mod pictures;
mod refusals;
mod resume;
mod scenes;
mod studies;
mod trouble;
mod wording;
