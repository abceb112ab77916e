//! What is written for a struct or an enum: its parameters, its walk, a struct's defaults.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::{
    Data, DeriveInput, Error, Expr, ExprLit, Fields, FnArg, GenericParam, Lit, LitStr, Result,
    parenthesized, parse_quote,
};

use crate::field::{Field, Role};

/// For a struct or an enum whose fields have names; `walks` if a walk is wanted.
pub(crate) fn derive(input: &DeriveInput, walks: bool) -> Result<TokenStream> {
    let whole = Whole::read(input)?;
    let data = Shape::read(input, &whole.group)?;

    let name = &input.ident;
    let mut generics = input.generics.clone();
    let constants = data.constants();
    let (with_bounds, types, bounds) = generics.split_for_impl();
    let mut written = quote! {
        #[automatically_derived]
        impl #with_bounds #name #types #bounds {
            #constants
        }
    };
    if let Some(default) = data.default()? {
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
        let shown = data.walk();
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

/// The fields that there are.
enum Shape {
    Struct(Vec<Field>),
    /// Of each variant; those of the one that stands are shown.
    Enum(Vec<(Ident, Vec<Field>)>),
}

impl Shape {
    fn read(input: &DeriveInput, group: &str) -> Result<Self> {
        let named = |fields: &Fields| match fields {
            Fields::Named(fields) => {
                fields.named.iter().map(|field| Field::read(field, group)).collect()
            }
            Fields::Unit | Fields::Unnamed(_) => Ok(Vec::new()),
        };
        match &input.data {
            Data::Struct(data) if matches!(data.fields, Fields::Named(_)) => {
                Ok(Shape::Struct(named(&data.fields)?))
            }
            Data::Enum(data) => {
                let variants = data.variants.iter();
                let read = variants.map(|one| Ok((one.ident.clone(), named(&one.fields)?)));
                Ok(Shape::Enum(read.collect::<Result<_>>()?))
            }
            Data::Struct(_) | Data::Union(_) => {
                let problem = "parameters are the fields of a struct or an enum, with names";
                Err(Error::new_spanned(&input.ident, problem))
            }
        }
    }

    fn constants(&self) -> TokenStream {
        match self {
            Shape::Struct(fields) => constants(fields),
            Shape::Enum(variants) => variants.iter().map(|(_, fields)| constants(fields)).collect(),
        }
    }

    fn default(&self) -> Result<Option<TokenStream>> {
        match self {
            Shape::Struct(fields) => default(fields),
            Shape::Enum(variants) => {
                let mut fields = variants.iter().flat_map(|(_, fields)| fields);
                let problem =
                    "a variant's fields have no `default`: say which variant is the default";
                match fields.find(|field| field.default.is_some()) {
                    Some(field) => Err(Error::new(field.name.span(), problem)),
                    None => Ok(None),
                }
            }
        }
    }

    /// The statements that show the fields.
    fn walk(&self) -> TokenStream {
        match self {
            Shape::Struct(fields) => {
                let shown = |field: &Field| {
                    let name = &field.name;
                    shown(field, &quote!(self.#name))
                };
                fields.iter().filter_map(shown).collect()
            }
            Shape::Enum(variants) => {
                let arm = |(variant, fields): &(Ident, Vec<Field>)| {
                    let shown = fields.iter().filter_map(|field| {
                        let name = &field.name;
                        Some((name, shown(field, &quote!(*#name))?))
                    });
                    let (names, statements): (Vec<_>, Vec<_>) = shown.unzip();
                    quote!(Self::#variant { #(#names,)* .. } => { #(#statements)* })
                };
                let arms = variants.iter().map(arm);
                quote!(match self { #(#arms)* })
            }
        }
    }
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

/// The statement that shows a field, which is at `at`.
fn shown(field: &Field, at: &TokenStream) -> Option<TokenStream> {
    if field.apart {
        return None;
    }
    let ty = &field.ty;
    let (mut place, mut before) = (quote!(&mut #at), None);
    if field.optional {
        (place, before) = (quote!(field), Some(quote!(if let Some(field) = &mut #at)));
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
