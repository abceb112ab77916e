//! The words of an enum.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Error, Expr, Fields, Lit, Meta, Result, Variant};

pub(crate) fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let Data::Enum(data) = &input.data else {
        return Err(Error::new_spanned(&input.ident, "words are the variants of an enum"));
    };
    let words = data.variants.iter().map(pair).collect::<Result<Vec<_>>>()?;
    let name = &input.ident;
    Ok(quote! {
        #[automatically_derived]
        impl forebay_parameters::Word for #name {
            const WORDS: &'static [(&'static str, Self)] = &[#(#words),*];
        }
    })
}

fn pair(variant: &Variant) -> Result<TokenStream> {
    let name = &variant.ident;
    if !matches!(variant.fields, Fields::Unit) {
        let problem = "a variant with fields cannot be a word; write `impl Word` by hand";
        return Err(Error::new_spanned(variant, problem));
    }
    let mut word = hyphenated(&name.to_string());
    for attribute in variant.attrs.iter().filter(|attribute| attribute.path().is_ident("word")) {
        word = match &attribute.meta {
            Meta::NameValue(given) => match &given.value {
                Expr::Lit(literal) => match &literal.lit {
                    Lit::Str(text) => text.value(),
                    other => return Err(Error::new_spanned(other, "a word is a text")),
                },
                other => return Err(Error::new_spanned(other, "a word is a text")),
            },
            other => return Err(Error::new_spanned(other, "write it as `#[word = \"…\"]`")),
        };
    }
    Ok(quote!((#word, Self::#name)))
}

/// `HalfOpen` as `half-open`.
fn hyphenated(name: &str) -> String {
    let mut word = String::new();
    for (place, letter) in name.char_indices() {
        if letter.is_uppercase() && place > 0 {
            word.push('-');
        }
        word.extend(letter.to_lowercase());
    }
    word
}
