//! What a parameter may be, by what its attribute and its type say.

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Error, Expr, ExprRange, RangeLimits, Result, Type};

/// The kind that a type has by itself; the compiler says at the type that it has none.
pub(crate) fn of_type(of: &Type) -> TokenStream {
    quote_spanned!(of.span()=> <#of as forebay_parameters::HasKind>::KIND)
}

/// Numbers of a range, real ones where the type is of `f64`; or lists of such, where it is of a
/// `Vec`.
pub(crate) fn of_range(range: &Expr, of: &Type) -> Result<TokenStream> {
    let wrong = || Error::new_spanned(range, "give a range as `1..=8`, or `1..` without an end");
    let Expr::Range(ExprRange { start: Some(min), limits, end, .. }) = range else {
        return Err(wrong());
    };
    if matches!((limits, end), (RangeLimits::HalfOpen(_), Some(_))) {
        return Err(wrong());
    }
    let kind = if mentions(of.to_token_stream(), "f64") {
        let max = end.as_ref().map_or(quote!(f64::MAX), ToTokens::to_token_stream);
        quote!(forebay_parameters::Kind::Float { min: #min, max: #max })
    } else {
        let (min, max) = (whole(min), end.as_ref().map_or(quote!(i64::MAX), |max| whole(max)));
        quote!(forebay_parameters::Kind::Int { min: #min, max: #max })
    };
    let is_list = mentions(of.to_token_stream(), "Vec");
    Ok(if is_list { quote!(forebay_parameters::Kind::List(&#kind)) } else { kind })
}

/// A bound of whole numbers. A constant may be of any type of those; the type of anything else is
/// that of bounds, so that no `1 << 31` is cut to a shorter one.
fn whole(bound: &Expr) -> TokenStream {
    if matches!(bound, Expr::Path(_)) { quote!(#bound as i64) } else { quote!(#bound) }
}

fn mentions(tokens: TokenStream, name: &str) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == name,
        TokenTree::Group(group) => mentions(group.stream(), name),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}
