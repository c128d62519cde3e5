//! Enums of words.

use crate::attributes::{Attributes, Help, kebab};
use proc_macro2::TokenStream;
use quote::quote;
use syn::{DataEnum, DeriveInput, Error, Fields, Result};

pub(crate) fn derive(input: &DeriveInput, data: &DataEnum) -> Result<TokenStream> {
    let name = &input.ident;
    let (mut variants, mut words, mut helps) = (Vec::new(), Vec::new(), Vec::new());
    for variant in &data.variants {
        if !matches!(variant.fields, Fields::Unit) {
            return Err(Error::new_spanned(variant, "variants of a Word must not have fields"));
        }
        let ident = &variant.ident;
        words.push(
            Attributes::parse(&variant.attrs)?.name.unwrap_or_else(|| kebab(&ident.to_string())),
        );
        helps.push(Help::of(&variant.attrs, variant)?.text);
        variants.push(ident);
    }
    Ok(quote! {
        impl #name {
            /// The words, in the order of the variants.
            pub const WORDS: &'static [&'static str] = &[#(#words),*];

            /// The word of this variant, as a file spells it.
            pub fn word(self) -> &'static str {
                match self { #(Self::#variants => #words),* }
            }
        }

        impl ::lawine_settings::Word for #name {
            const HELP: &'static [::lawine_settings::WordHelp] =
                &[#(::lawine_settings::WordHelp { word: #words, help: #helps }),*];
        }

        impl ::lawine_settings::Data for #name {
            const KIND: ::lawine_settings::Kind =
                ::lawine_settings::Kind::Word(<Self as ::lawine_settings::Word>::HELP);

            fn read(
                value: &::lawine_settings::Value,
                _: &mut ::lawine_settings::Reader<'_>,
            ) -> ::core::option::Option<Self> {
                let ::lawine_settings::Value::Text(word) = value else {
                    return ::core::option::Option::None;
                };
                match word.as_str() {
                    #(#words => ::core::option::Option::Some(Self::#variants),)*
                    _ => ::core::option::Option::None,
                }
            }

            fn write(&self) -> ::core::option::Option<::lawine_settings::Value> {
                ::core::option::Option::Some(self.word().into())
            }
        }

        impl ::core::fmt::Display for #name {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.pad(self.word())
            }
        }
    })
}
