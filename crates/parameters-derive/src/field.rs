//! What the attribute of a field says.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::meta::ParseNestedMeta;
use syn::{Attribute, Error, Expr, ExprLit, Lit, Meta, Result, Type};

use crate::kind;

/// What a field is to the walk.
pub(crate) enum Role {
    /// A parameter that is declared here, and its constant.
    Declared(Ident, TokenStream),
    /// One that is declared elsewhere.
    Elsewhere(Expr),
    /// A configuration of its own, and what its parameters are called here.
    Part(Option<Expr>),
    /// Nothing.
    Skipped,
}

/// A field of a configuration, with what its attributes say.
pub(crate) struct Field {
    pub(crate) name: Ident,
    pub(crate) ty: Type,
    pub(crate) role: Role,
    pub(crate) default: Option<Expr>,
    /// Whether it is shown, as an expression; lists of everything show it whatever this says.
    pub(crate) when: Option<Expr>,
    /// The same, and lists of everything obey it.
    pub(crate) only: Option<Expr>,
    pub(crate) optional: bool,
    pub(crate) apart: bool,
    pub(crate) with: Option<Expr>,
    /// What shows a part, if not the part itself.
    pub(crate) by: Option<Expr>,
}

/// The keys of an attribute, as they stand there.
#[derive(Default)]
struct Keys {
    name: Option<Expr>,
    kind: Option<Expr>,
    range: Option<Expr>,
    source: Option<Expr>,
    paper: Option<Expr>,
    assumed: Option<Expr>,
    sensitivity: Option<Expr>,
    default: Option<Expr>,
    when: Option<Expr>,
    only: Option<Expr>,
    with: Option<Expr>,
    by: Option<Expr>,
    declared: Option<Expr>,
    group: Option<Expr>,
    part: bool,
    apart: bool,
    optional: bool,
    skip: bool,
}

impl Keys {
    fn read(&mut self, meta: &ParseNestedMeta<'_>) -> Result<()> {
        let flags = [
            ("apart", &mut self.apart),
            ("optional", &mut self.optional),
            ("skip", &mut self.skip),
            ("part", &mut self.part),
        ];
        for (key, flag) in flags {
            if meta.path.is_ident(key) {
                *flag = true;
                if key == "part" && meta.input.peek(syn::Token![=]) {
                    self.group = Some(meta.value()?.parse()?);
                }
                return Ok(());
            }
        }
        let values = [
            ("name", &mut self.name),
            ("kind", &mut self.kind),
            ("range", &mut self.range),
            ("source", &mut self.source),
            ("paper", &mut self.paper),
            ("assumed", &mut self.assumed),
            ("sensitivity", &mut self.sensitivity),
            ("default", &mut self.default),
            ("when", &mut self.when),
            ("only", &mut self.only),
            ("with", &mut self.with),
            ("by", &mut self.by),
            ("declared", &mut self.declared),
        ];
        let known = values.iter().map(|(key, _)| *key).collect::<Vec<_>>().join("`, `");
        for (key, value) in values {
            if meta.path.is_ident(key) {
                if value.is_some() {
                    return Err(meta.error("it is given twice"));
                }
                *value = Some(meta.value()?.parse()?);
                return Ok(());
            }
        }
        Err(meta.error(format!("there is `{known}`, `apart`, `optional`, `part` and `skip`")))
    }
}

impl Field {
    /// Reads a field of a type whose parameters are called `group` and their own names.
    pub(crate) fn read(field: &syn::Field, group: &str) -> Result<Self> {
        let Some(name) = field.ident.clone() else {
            return Err(Error::new_spanned(field, "parameters are fields with names"));
        };
        let (mut keys, mut said) = (Keys::default(), false);
        for attribute in field.attrs.iter().filter(|one| one.path().is_ident("parameter")) {
            said = true;
            attribute.parse_nested_meta(|meta| keys.read(&meta))?;
        }
        if !said {
            let problem =
                "say what the field is: `#[parameter(…)]` with a source, `part`, or `skip`";
            return Err(Error::new(name.span(), problem));
        }
        let role = match (keys.skip, keys.part, keys.declared.take()) {
            (true, false, None) => Role::Skipped,
            (false, true, None) => Role::Part(keys.group.take()),
            (false, false, Some(declared)) => Role::Elsewhere(declared),
            (false, false, None) => {
                let text = name.to_string();
                let word = text.trim_start_matches("r#");
                let constant = Ident::new(&word.to_uppercase(), name.span());
                Role::Declared(
                    constant,
                    declaration(field, &name, &format!("{group}{word}"), &mut keys)?,
                )
            }
            _ => {
                let problem = "it is one of `skip`, `part`, `declared` and a parameter of its own";
                return Err(Error::new(name.span(), problem));
            }
        };
        // What is left says something of a declaration, which there is none of here.
        let rest = [keys.name, keys.kind, keys.range, keys.source];
        let rest =
            rest.into_iter().chain([keys.paper, keys.assumed, keys.sensitivity]).flatten().next();
        if let Some(rest) = rest {
            return Err(Error::new_spanned(rest, "it is not declared here; leave this out"));
        }
        let Keys { default, when, only, with, by, optional, apart, .. } = keys;
        let ty = field.ty.clone();
        Ok(Field { name, ty, role, default, when, only, optional, apart, with, by })
    }
}

/// The parameter as an expression.
fn declaration(
    field: &syn::Field,
    ident: &Ident,
    name: &str,
    keys: &mut Keys,
) -> Result<TokenStream> {
    let at = ident.span();
    let about = sentence(&field.attrs);
    if about.is_empty() {
        return Err(Error::new(at, "write what the parameter means: `/// One sentence.`"));
    }
    let name = keys.name.take().map_or(quote!(#name), |name| quote!(#name));
    let kind = match (keys.kind.take(), keys.range.take()) {
        (Some(kind), None) => quote!(#kind),
        (None, Some(range)) => kind::of_range(&range, &field.ty)?,
        (None, None) => kind::of_type(&field.ty),
        (Some(kind), Some(_)) => {
            return Err(Error::new_spanned(kind, "give a kind or a range, not both"));
        }
    };
    let source = source(at, keys)?;
    Ok(quote!(forebay_parameters::Parameter::new(#name, #kind, #source, #about)))
}

fn source(at: Span, keys: &mut Keys) -> Result<TokenStream> {
    let of = quote!(forebay_parameters::Source);
    let given = (keys.source.take(), keys.paper.take(), keys.assumed.take());
    match (given, keys.sensitivity.take()) {
        ((Some(source), None, None), None) => Ok(quote!(#source)),
        ((None, Some(paper), None), None) => Ok(quote!(#of::paper(#paper))),
        ((None, None, Some(why)), None) => Ok(quote!(#of::assumed(#why))),
        ((None, None, Some(why)), Some(shown)) => Ok(quote!(#of::shown(#why, #shown))),
        _ => {
            let problem = "say where its default comes from: `paper = \"…\"`, `assumed = \"…\"` \
                           (to which `sensitivity = \"…\"` may be added), or `source = SOURCE`";
            Err(Error::new(at, problem))
        }
    }
}

/// The first paragraph of a documentation, its lines joined.
fn sentence(attributes: &[Attribute]) -> String {
    let line = |attribute: &Attribute| match &attribute.meta {
        Meta::NameValue(doc) if doc.path.is_ident("doc") => match &doc.value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    };
    let lines: Vec<String> =
        attributes.iter().filter_map(line).map(|line| line.trim().to_owned()).collect();
    let first = lines.split(String::is_empty).find(|paragraph| !paragraph.is_empty());
    first.map_or_else(String::new, |lines| lines.join(" "))
}
