//! Structs: tables with keys side by side.

use crate::attributes::{Attributes, Help};
use proc_macro2::TokenStream;
use quote::quote;
use syn::{DataStruct, DeriveInput, Error, Fields, Ident, Result, Type};

pub(crate) fn derive(input: &DeriveInput, data_struct: &DataStruct) -> Result<TokenStream> {
    let name = &input.ident;
    let help = Help::of(&input.attrs, name)?.text;
    let Fields::Named(fields) = &data_struct.fields else {
        return Err(Error::new_spanned(name, "settings need named fields"));
    };
    let (mut settings, mut reads, mut writes) = (Vec::new(), Vec::new(), Vec::new());
    // Lists of settings before the present one, and how many settings there are in them.
    let (mut lists, mut before) = (Vec::new(), quote!(0));
    let (mut idents, mut defaults) = (Vec::new(), Vec::new());
    let mut one_of = quote!(&[]);
    let mut open = quote!(::core::option::Option::None);
    for field in &fields.named {
        let Some(ident) = &field.ident else { continue };
        let (ty, attributes) = (&field.ty, Attributes::parse(&field.attrs)?);
        idents.push(ident);
        if attributes.one_of {
            one_of = quote!(<#ty as ::lawine_settings::Settings>::TABLE.one_of);
            reads.push(quote! {
                let #ident = <#ty as ::lawine_settings::Settings>::read_keys(keys, reader);
            });
            writes.push(quote!(::lawine_settings::Settings::write_keys(&self.#ident, table);));
            continue;
        }
        if attributes.flatten {
            let own = std::mem::take(&mut settings);
            let (count, inner) =
                (own.len(), quote!(<#ty as ::lawine_settings::Settings>::TABLE.settings));
            lists.extend([quote!(&[#(#own),*]), inner.clone()]);
            before = quote!(#before + #count + #inner.len());
            reads.push(quote! {
                let #ident = <#ty as ::lawine_settings::Settings>::read_keys(keys, reader);
            });
            writes.push(quote!(::lawine_settings::Settings::write_keys(&self.#ident, table);));
            continue;
        }
        let index = settings.len();
        let index = quote!(#before + #index);
        if let Some(tables) = attributes.open {
            open = quote!(::core::option::Option::Some((#index, #tables)));
            reads.push(quote! {
                let #ident = ::lawine_settings::OpenTables::read_keys(#tables(), keys, reader);
            });
            writes.push(quote!(self.#ident.write_keys(table);));
            continue;
        }
        let key = attributes.name.clone().unwrap_or_else(|| ident.to_string());
        let default = default_value(ty, &attributes);
        settings.push(setting(field, &key, default.as_ref(), &attributes)?);
        reads.push(quote!(let #ident = reader.key::<#ty>(keys, &table.settings[#index]);));
        writes.push(quote! {
            if let ::core::option::Option::Some(value) = ::lawine_settings::Data::write(&self.#ident) {
                table.push((#key.into(), value));
            }
        });
        defaults.extend(match default {
            None if is_option(ty) => Some(quote!(#ident: ::core::option::Option::None)),
            default => default.map(|default| quote!(#ident: #default)),
        });
    }
    let settings = if lists.is_empty() {
        quote!(&[#(#settings),*])
    } else {
        quote! {{
            const LISTS: &[&[::lawine_settings::Setting]] = &[#(#lists,)* &[#(#settings),*]];
            const ALL: [::lawine_settings::Setting; ::lawine_settings::Setting::count(LISTS)] =
                ::lawine_settings::Setting::joined(LISTS);
            &ALL
        }}
    };
    let data = data(name);
    // Only if every key may be left out.
    let default = (defaults.len() == idents.len()).then(|| {
        quote! {
            impl ::core::default::Default for #name {
                fn default() -> Self {
                    Self { #(#defaults),* }
                }
            }
        }
    });
    Ok(quote! {
        #data
        #default

        impl ::lawine_settings::Settings for #name {
            const TABLE: ::lawine_settings::Table = ::lawine_settings::Table {
                name: concat!(module_path!(), "::", stringify!(#name)),
                help: #help,
                settings: #settings,
                open: #open,
                one_of: #one_of,
            };

            fn read_keys(
                keys: &::lawine_settings::Keys<'_>,
                reader: &mut ::lawine_settings::Reader<'_>,
            ) -> ::core::option::Option<Self> {
                let table = const { &<Self as ::lawine_settings::Settings>::TABLE };
                #(#reads)*
                ::core::option::Option::Some(Self { #(#idents: #idents?),* })
            }

            fn write_keys(
                &self,
                table: &mut ::std::vec::Vec<(::std::string::String, ::lawine_settings::Value)>,
            ) {
                #(#writes)*
            }
        }
    })
}

/// `Data` by way of `Settings`.
pub(crate) fn data(name: &Ident) -> TokenStream {
    quote! {
        impl ::lawine_settings::Data for #name {
            const KIND: ::lawine_settings::Kind =
                ::lawine_settings::Kind::Table(&<Self as ::lawine_settings::Settings>::TABLE);

            fn read(
                value: &::lawine_settings::Value,
                reader: &mut ::lawine_settings::Reader<'_>,
            ) -> ::core::option::Option<Self> {
                let table = const { &<Self as ::lawine_settings::Settings>::TABLE };
                let keys = reader.open(value, table)?;
                <Self as ::lawine_settings::Settings>::read_keys(&keys, reader)
            }

            fn write(&self) -> ::core::option::Option<::lawine_settings::Value> {
                let mut table = ::std::vec::Vec::new();
                ::lawine_settings::Settings::write_keys(self, &mut table);
                ::core::option::Option::Some(::lawine_settings::Value::Table(table))
            }
        }
    }
}

/// The description of a field.
fn setting(
    field: &syn::Field,
    key: &str,
    default: Option<&TokenStream>,
    attributes: &Attributes,
) -> Result<TokenStream> {
    let ty = &field.ty;
    let Help { text, unit } = Help::of(&field.attrs, field)?;
    let default = match (default, &attributes.without) {
        (Some(value), None) => quote! {
            ::lawine_settings::Default::Is(|| {
                let value: #ty = #value;
                ::lawine_settings::Data::write(&value).unwrap_or(::lawine_settings::Value::Bool(false))
            })
        },
        (None, Some(words)) if is_option(ty) => quote!(::lawine_settings::Default::Open(#words)),
        (None, None) if !is_option(ty) => quote!(::lawine_settings::Default::Needed),
        _ => {
            let message = "an Option needs `without = \"…\"`, which describes its default; other \
                           fields have a `default` or are required";
            return Err(Error::new_spanned(field, message));
        }
    };
    let Attributes { fixed, of, was, .. } = attributes;
    let range = attributes.range();
    Ok(quote! {
        ::lawine_settings::Setting {
            name: #key,
            kind: <#ty as ::lawine_settings::Data>::KIND,
            unit: #unit,
            default: #default,
            range: #range,
            help: #text,
            fixed: #fixed,
            of: #of,
            was: #was,
        }
    })
}

/// The default as an expression of the field's type.
fn default_value(ty: &Type, attributes: &Attributes) -> Option<TokenStream> {
    Some(match attributes.default.as_ref()? {
        None => quote!(::core::default::Default::default()),
        Some(value) if is(ty, "String") => quote!(::std::string::String::from(#value)),
        Some(value) => value.clone(),
    })
}

fn is_option(ty: &Type) -> bool {
    is(ty, "Option")
}

/// Whether a type has this name.
fn is(ty: &Type, name: &str) -> bool {
    matches!(ty, Type::Path(path) if path.path.segments.last().is_some_and(|s| s.ident == name))
}
