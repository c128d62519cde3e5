//! Enums of which one variant is given: a table with exactly one key.

use crate::attributes::{Attributes, Help, kebab};
use crate::table::data;
use proc_macro2::TokenStream;
use quote::quote;
use syn::{DataEnum, DeriveInput, Error, Fields, Result};

pub(crate) fn derive(input: &DeriveInput, data_enum: &DataEnum) -> Result<TokenStream> {
    let name = &input.ident;
    let help = Help::of(&input.attrs, name)?.text;
    let (mut settings, mut reads, mut writes, mut words) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (index, variant) in data_enum.variants.iter().enumerate() {
        let payload = match &variant.fields {
            Fields::Unnamed(fields) if fields.unnamed.len() == 1 => &fields.unnamed[0].ty,
            _ => {
                return Err(Error::new_spanned(
                    variant,
                    "a variant needs exactly one table, in parentheses",
                ));
            }
        };
        let attributes = Attributes::parse(&variant.attrs)?;
        let ident = &variant.ident;
        let key = attributes.name.unwrap_or_else(|| kebab(&ident.to_string()));
        let (Help { text, .. }, of) = (Help::of(&variant.attrs, variant)?, attributes.of);
        settings.push(quote! {
            ::lawine_settings::Setting {
                name: #key,
                kind: <#payload as ::lawine_settings::Data>::KIND,
                unit: "",
                default: ::lawine_settings::Default::Open(""),
                range: ::lawine_settings::Range::ANY,
                help: #text,
                fixed: false,
                of: #of,
                was: "",
            }
        });
        reads.push(quote! {
            if keys.has(#key) {
                let given = reader.key::<#payload>(keys, &table.one_of[#index]);
                found = found.or(given.map(Self::#ident));
            }
        });
        writes.push(quote! {
            Self::#ident(inner) => {
                if let ::core::option::Option::Some(value) = ::lawine_settings::Data::write(inner) {
                    table.push((#key.into(), value));
                }
            }
        });
        words.push(quote!(Self::#ident(_) => #key));
    }
    let data = data(name);
    Ok(quote! {
        #data

        impl #name {
            /// The key of this variant in a file.
            pub fn word(&self) -> &'static str {
                match self { #(#words),* }
            }
        }

        impl ::lawine_settings::Settings for #name {
            const TABLE: ::lawine_settings::Table = ::lawine_settings::Table {
                name: concat!(module_path!(), "::", stringify!(#name)),
                help: #help,
                settings: &[],
                open: ::core::option::Option::None,
                one_of: &[#(#settings),*],
            };

            fn read_keys(
                keys: &::lawine_settings::Keys<'_>,
                reader: &mut ::lawine_settings::Reader<'_>,
            ) -> ::core::option::Option<Self> {
                let table = const { &<Self as ::lawine_settings::Settings>::TABLE };
                // Where there are too many, all of them are looked at.
                let mut found = ::core::option::Option::None;
                #(#reads)*
                found
            }

            fn write_keys(
                &self,
                table: &mut ::std::vec::Vec<(::std::string::String, ::lawine_settings::Value)>,
            ) {
                match self { #(#writes)* }
            }
        }
    })
}
