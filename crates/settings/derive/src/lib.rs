//! `#[derive(Settings)]` and `#[derive(Word)]` of `lawine-settings`, whose documentation describes them.

mod attributes;
mod one_of;
mod table;
mod word;

use proc_macro::TokenStream;
use syn::{Data, DeriveInput, Error, parse_macro_input};

/// A table of settings: a struct, or an enum of which one variant is given.
#[proc_macro_derive(Settings, attributes(setting))]
pub fn settings(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    let made = match &input.data {
        Data::Struct(data) => table::derive(&input, data),
        Data::Enum(data) => one_of::derive(&input, data),
        Data::Union(_) => {
            Err(Error::new_spanned(&input.ident, "Settings cannot be derived for a union"))
        }
    };
    made.unwrap_or_else(Error::into_compile_error).into()
}

/// One of a few words: an enum without fields.
#[proc_macro_derive(Word, attributes(setting))]
pub fn word(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    let made = match &input.data {
        Data::Enum(data) => word::derive(&input, data),
        _ => Err(Error::new_spanned(&input.ident, "Word can only be derived for an enum")),
    };
    made.unwrap_or_else(Error::into_compile_error).into()
}
