//! What is written for a struct: its parameters, its walk, its defaults.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{
    Data, DeriveInput, Error, Expr, ExprLit, Fields, FnArg, GenericParam, Lit, LitStr, Result,
    parenthesized, parse_quote,
};

use crate::field::{Field, Role};

/// For a struct with named fields; `walks` if a walk is wanted.
pub(crate) fn derive(input: &DeriveInput, walks: bool) -> Result<TokenStream> {
    let fields = match &input.data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(fields) => fields,
            _ => return Err(no_struct(input)),
        },
        _ => return Err(no_struct(input)),
    };
    let whole = Whole::read(input)?;
    let fields = fields
        .named
        .iter()
        .map(|field| Field::read(field, &whole.group))
        .collect::<Result<Vec<_>>>()?;

    let name = &input.ident;
    let mut generics = input.generics.clone();
    let constants = constants(&fields);
    let (with_bounds, types, bounds) = generics.split_for_impl();
    let mut written = quote! {
        #[automatically_derived]
        impl #with_bounds #name #types #bounds {
            #constants
        }
    };
    if let Some(default) = default(&fields)? {
        written.extend(quote! {
            #[automatically_derived]
            impl #with_bounds ::core::default::Default for #name #types #bounds {
                fn default() -> Self {
                    #default
                }
            }
        });
    }
    if walks {
        for parameter in &mut generics.params {
            if let GenericParam::Type(parameter) = parameter {
                parameter.bounds.push(parse_quote!(forebay_parameters::Configure));
            }
        }
        let (with_bounds, types, bounds) = generics.split_for_impl();
        let shown: TokenStream = fields.iter().filter_map(shown).collect();
        written.extend(match whole.given {
            Some(given) => quote! {
                impl #with_bounds #name #types #bounds {
                    /// Shows what has an effect where the whole says this.
                    pub(crate) fn walk_given(&mut self, #given, walk: &mut dyn forebay_parameters::Walk) {
                        #shown
                    }
                }
            },
            None => quote! {
                #[automatically_derived]
                impl #with_bounds forebay_parameters::Configure for #name #types #bounds {
                    fn walk(&mut self, walk: &mut dyn forebay_parameters::Walk) {
                        #shown
                    }
                }
            },
        });
    }
    Ok(written)
}

fn no_struct(input: &DeriveInput) -> Error {
    Error::new_spanned(&input.ident, "parameters are the fields of a struct, with names")
}

/// What the attribute of a whole type says.
#[derive(Default)]
struct Whole {
    /// What stands before the names of its parameters.
    group: String,
    /// What its walk is given.
    given: Option<FnArg>,
}

impl Whole {
    fn read(input: &DeriveInput) -> Result<Self> {
        let mut whole = Whole::default();
        for attribute in input.attrs.iter().filter(|one| one.path().is_ident("parameter")) {
            attribute.parse_nested_meta(|meta| {
                if meta.path.is_ident("group") {
                    whole.group = meta.value()?.parse::<LitStr>()?.value();
                } else if meta.path.is_ident("given") {
                    let content;
                    parenthesized!(content in meta.input);
                    whole.given = Some(content.parse()?);
                } else {
                    return Err(meta.error("of a whole type there are `group` and `given`"));
                }
                Ok(())
            })?;
        }
        Ok(whole)
    }
}

fn constants(fields: &[Field]) -> TokenStream {
    let constant = |field: &Field| match &field.role {
        Role::Declared(constant, declaration) => Some(quote! {
            pub(crate) const #constant: forebay_parameters::Parameter = #declaration;
        }),
        Role::Elsewhere(_) | Role::Part(_) | Role::Skipped => None,
    };
    fields.iter().filter_map(constant).collect()
}

/// The default, if any field has one of its own.
fn default(fields: &[Field]) -> Result<Option<TokenStream>> {
    if fields.iter().all(|field| field.default.is_none()) {
        return Ok(None);
    }
    let value = |field: &Field| {
        let name = &field.name;
        match (&field.default, &field.role) {
            (Some(value), _) => Ok(quote!(#name: #value)),
            (None, Role::Part(_) | Role::Skipped) => {
                Ok(quote!(#name: ::core::default::Default::default()))
            }
            (None, Role::Declared(..) | Role::Elsewhere(_)) => {
                let problem = "other fields have a `default`; so must this parameter";
                Err(Error::new(name.span(), problem))
            }
        }
    };
    let values = fields.iter().map(value).collect::<Result<Vec<_>>>()?;
    Ok(Some(quote!(Self { #(#values),* })))
}

/// The statement that shows a field.
fn shown(field: &Field) -> Option<TokenStream> {
    if field.apart {
        return None;
    }
    let (name, ty) = (&field.name, &field.ty);
    let (mut place, mut before) = (quote!(&mut self.#name), None);
    if field.optional {
        (place, before) = (quote!(field), Some(quote!(if let Some(field) = &mut self.#name)));
    }
    if let Some(with) = &field.with {
        place = quote!(&mut (#with)(#place));
    }
    let mut statement = match &field.role {
        Role::Part(_) if field.by.is_some() => {
            let by = &field.by;
            quote!((#by)(#place, &mut *walk);)
        }
        Role::Declared(constant, _) => quote!(walk.field(&Self::#constant, #place);),
        Role::Elsewhere(parameter) => quote!(walk.field(&#parameter, #place);),
        Role::Part(None) => quote!(forebay_parameters::Configure::walk(#place, walk);),
        Role::Part(Some(Expr::Lit(ExprLit { lit: Lit::Str(group), .. }))) => {
            quote!(walk.part(#group, #place);)
        }
        Role::Part(Some(rename)) => quote! {
            <#ty as forebay_parameters::Configure>::walk(
                #place,
                &mut forebay_parameters::Renamed::new(walk, #rename),
            );
        },
        Role::Skipped => return None,
    };
    if let Some(before) = before {
        statement = quote!(#before { #statement });
    }
    if let Some(when) = &field.when {
        statement = quote!(if walk.wants_all() || (#when) { #statement });
    }
    if let Some(only) = &field.only {
        statement = quote!(if #only { #statement });
    }
    Some(statement)
}
