//! Documentation and attributes of a field or a variant.

use proc_macro2::{TokenStream, TokenTree};
use quote::quote;
use syn::parse::ParseStream;
use syn::{Attribute, Error, Expr, ExprLit, Lit, LitStr, Meta, Result, Token};

/// `#[setting(…)]`.
#[derive(Default)]
pub(crate) struct Attributes {
    pub(crate) name: Option<String>,
    /// An expression, or nothing for that of `Default`.
    pub(crate) default: Option<Option<TokenStream>>,
    pub(crate) without: Option<String>,
    /// Value and whether it is allowed itself.
    pub(crate) low: Option<(TokenStream, bool)>,
    pub(crate) high: Option<(TokenStream, bool)>,
    pub(crate) filled: bool,
    pub(crate) fixed: bool,
    pub(crate) of: String,
    pub(crate) was: String,
    pub(crate) one_of: bool,
    pub(crate) flatten: bool,
    /// The function that knows the registered tables.
    pub(crate) open: Option<TokenStream>,
}

impl Attributes {
    pub(crate) fn parse(attributes: &[Attribute]) -> Result<Self> {
        let mut found = Self::default();
        for attribute in attributes.iter().filter(|a| a.path().is_ident("setting")) {
            attribute.parse_nested_meta(|meta| {
                let Some(key) = meta.path.get_ident().map(ToString::to_string) else {
                    return Err(meta.error("unknown argument of #[setting(…)]"));
                };
                let text = || -> Result<String> { Ok(meta.value()?.parse::<LitStr>()?.value()) };
                match key.as_str() {
                    "name" => found.name = Some(text()?),
                    "without" => found.without = Some(text()?),
                    "of" => found.of = text()?,
                    "was" => found.was = text()?,
                    "filled" => found.filled = true,
                    "fixed" => found.fixed = true,
                    "one_of" => found.one_of = true,
                    "flatten" => found.flatten = true,
                    "open" => found.open = Some(value(meta.value()?)?),
                    "default" if meta.input.peek(Token![=]) => {
                        found.default = Some(Some(value(meta.value()?)?));
                    }
                    "default" => found.default = Some(None),
                    "above" => found.low = Some((value(meta.value()?)?, false)),
                    "at_least" => found.low = Some((value(meta.value()?)?, true)),
                    "below" => found.high = Some((value(meta.value()?)?, false)),
                    "at_most" => found.high = Some((value(meta.value()?)?, true)),
                    _ => return Err(meta.error("unknown argument of #[setting(…)]")),
                }
                Ok(())
            })?;
        }
        Ok(found)
    }

    /// The range as an expression.
    pub(crate) fn range(&self) -> TokenStream {
        let bound = |bound: &Option<(TokenStream, bool)>| match bound {
            None => quote!(::core::option::Option::None),
            Some((value, inclusive)) => quote! {
                ::core::option::Option::Some(::lawine_settings::Bound {
                    value: (#value) as f64,
                    inclusive: #inclusive,
                })
            },
        };
        let (low, high, filled) = (bound(&self.low), bound(&self.high), self.filled);
        quote!(::lawine_settings::Range { low: #low, high: #high, filled: #filled })
    }
}

/// The tokens up to the next comma.
fn value(input: ParseStream<'_>) -> Result<TokenStream> {
    let mut tokens = TokenStream::new();
    while !input.is_empty() && !input.peek(Token![,]) {
        tokens.extend([input.parse::<TokenTree>()?]);
    }
    Ok(tokens)
}

/// The help sentence and the unit: the first paragraph of the documentation, and what stands in brackets in it.
pub(crate) struct Help {
    pub(crate) text: String,
    pub(crate) unit: String,
}

impl Help {
    pub(crate) fn of(attributes: &[Attribute], item: &impl quote::ToTokens) -> Result<Self> {
        let lines = attributes.iter().filter_map(|attribute| match &attribute.meta {
            Meta::NameValue(doc) if doc.path.is_ident("doc") => match &doc.value {
                Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
                _ => None,
            },
            _ => None,
        });
        let paragraph: Vec<String> =
            lines.map(|line| line.trim().to_owned()).take_while(|line| !line.is_empty()).collect();
        let mut text = paragraph.join(" ");
        let unit = take_unit(&mut text);
        let text = text.trim_end_matches('.').to_owned();
        if text.is_empty() {
            return Err(Error::new_spanned(item, "a setting needs a documentation comment"));
        }
        Ok(Self { text, unit })
    }
}

/// Takes ` [unit]` out of a text; links, which have backticks, stay.
fn take_unit(text: &mut String) -> String {
    let mut from = 0;
    while let Some(start) = text[from..].find(" [").map(|at| from + at) {
        let Some(end) = text[start..].find(']').map(|at| start + at) else { break };
        let unit = text[start + 2..end].to_owned();
        if !unit.starts_with('`') {
            text.replace_range(start..=end, "");
            return if unit == "1" { String::new() } else { unit };
        }
        from = end;
    }
    String::new()
}

/// `CubicSpline` as `cubic-spline`.
pub(crate) fn kebab(name: &str) -> String {
    let mut word = String::new();
    for (i, letter) in name.chars().enumerate() {
        if letter.is_uppercase() && i > 0 {
            word.push('-');
        }
        word.extend(letter.to_lowercase());
    }
    word
}
