//! Expressions against a tree that is evaluated directly, and every error with its column.
#![allow(clippy::unwrap_used)]

use forebay_expression::{Expression, MAX_DEPTH, MAX_TEXT};
use proptest::prelude::*;

const FIELDS: [&str; 3] = ["now", "size", "flow.size"];

fn value(text: &str) -> i64 {
    Expression::parse(text, &FIELDS).unwrap().evaluate(&[10, -3, 7])
}

fn error(text: &str) -> String {
    Expression::parse(text, &FIELDS).unwrap_err().to_string()
}

#[test]
fn precedence_and_grouping() {
    for (text, expected) in [
        ("1 + 2 * 3", 7),
        ("(1 + 2) * 3", 9),
        ("7 - 2 - 1", 4),
        ("100 / 7 / 2", 7),
        ("-7 / 2", -3),
        ("-7 % 3", -1),
        ("- - 3", 3),
        ("!0 + !5", 1),
        ("1 < 2 && 3 >= 3 || 0", 1),
        ("0 && 1 || 1", 1),
        ("0 ? 1 : 0 ? 2 : 3", 3),
        ("1 ? 0 ? 4 : 5 : 6", 5),
        ("1 != 1 || 2 == 2", 1),
        ("now + size * flow.size", -11),
        ("min(now, 3) + max(size, -5) + log2(1024)", 10),
        ("log2(0) + log2(-9) + log2(1023)", 9),
        ("1_000_000", 1_000_000),
    ] {
        assert_eq!(value(text), expected, "{text}");
    }
}

#[test]
fn every_operation_is_total() {
    for (text, expected) in [
        ("1 / 0", 0),
        ("1 % 0", 0),
        ("9223372036854775807 + 1", i64::MAX),
        ("-9223372036854775807 - 2", i64::MIN),
        ("9223372036854775807 * -2", i64::MIN),
        ("(-9223372036854775807 - 1) / -1", i64::MAX),
        ("(-9223372036854775807 - 1) % -1", 0),
        ("-(-9223372036854775807 - 1)", i64::MAX),
    ] {
        assert_eq!(value(text), expected, "{text}");
    }
    let field = Expression::parse("flow.size + 1", &FIELDS).unwrap();
    assert_eq!(field.evaluate(&[]), 1, "a field that is not given is 0");
    assert!(field.reads(2) && !field.reads(0));
}

#[test]
fn errors_name_the_column_and_the_fix() {
    for (text, words) in [
        ("", "column 1: expected a number, a field, a function or `(`, found the end"),
        ("1 +", "column 4: expected a number"),
        ("(1", "column 3: expected `)`, found the end"),
        ("1 2", "column 3: expected an operator or the end, found `2`"),
        ("1 ? 2", "column 6: expected `:`"),
        ("é + 1", "column 1: there is no field `é`; known: now, size, flow.size"),
        ("1 + $", "column 5: `$` has no meaning here"),
        ("1 = 2", "column 3: expected an operator or the end, found `=`"),
        ("1 < 2 < 3", "column 7: comparisons do not chain; join two with `&&`"),
        ("1 + length", "column 5: there is no field `length`; write `size`"),
        ("time", "column 1: there is no field `time`; write `now`"),
        ("len(3)", "column 1: there is no function `len`"),
        ("sqrt(3)", "column 1: there is no function `sqrt`; known: min, max, log2"),
        ("1 + min(3)", "column 5: min takes 2 arguments"),
        ("log2(1, 2)", "column 1: log2 takes 1 argument;"),
        ("size * 9223372036854775808", "column 8: the number is too large"),
    ] {
        let found = error(text);
        assert!(found.starts_with(words), "{text}: {found}");
    }
}

/// Where rules read other things, a word means what it says.
#[test]
fn a_field_may_have_any_name() {
    let error = |fields: &[&str]| Expression::parse("length", fields).err().map(|e| e.to_string());
    assert_eq!(error(&["size", "length"]), None);
    let other = error(&["width"]);
    assert_eq!(other.as_deref(), Some("column 1: there is no field `length`; known: width"));
}

#[test]
fn limits() {
    let nested = |depth: usize| "(".repeat(depth) + "1" + &")".repeat(depth);
    assert_eq!(value(&nested(MAX_DEPTH)), 1);
    assert!(error(&nested(MAX_DEPTH + 1)).contains("nested deeper"));
    assert!(error(&("-".repeat(2000) + "1")).contains("nested deeper"));
    assert!(error(&"1?".repeat(1000)).contains("nested deeper"));
    assert!(error(&"1".repeat(MAX_TEXT + 1)).contains("longer than"));
    let long = vec!["1"; 2000].join("+");
    assert_eq!(value(&long), 2000);
}

/// An expression as a tree.
#[derive(Clone, Debug)]
enum Tree {
    Number(i64),
    Field(usize),
    Unary(&'static str, Box<Tree>),
    Binary(&'static str, Box<Tree>, Box<Tree>),
    Choose(Box<[Tree; 3]>),
}

const OPERATORS: [&str; 15] =
    ["+", "-", "*", "/", "%", "<", "<=", ">", ">=", "==", "!=", "&&", "||", "min", "max"];

fn tree() -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![
        (0..=i64::MAX).prop_map(Tree::Number),
        (0..20_i64).prop_map(Tree::Number),
        (0..FIELDS.len()).prop_map(Tree::Field),
    ];
    leaf.prop_recursive(6, 60, 3, |inner| {
        prop_oneof![
            (prop::sample::select(&["-", "!", "log2"][..]), inner.clone())
                .prop_map(|(op, a)| Tree::Unary(op, Box::new(a))),
            (prop::sample::select(&OPERATORS[..]), inner.clone(), inner.clone())
                .prop_map(|(op, a, b)| Tree::Binary(op, Box::new(a), Box::new(b))),
            [inner.clone(), inner.clone(), inner].prop_map(|all| Tree::Choose(Box::new(all))),
        ]
    })
}

fn written(tree: &Tree) -> String {
    match tree {
        Tree::Number(number) => number.to_string(),
        Tree::Field(field) => FIELDS[*field].to_owned(),
        Tree::Unary("log2", a) => format!("log2({})", written(a)),
        Tree::Unary(op, a) => format!("{op}({})", written(a)),
        Tree::Binary(op @ ("min" | "max"), a, b) => format!("{op}({}, {})", written(a), written(b)),
        Tree::Binary(op, a, b) => format!("({}) {op} ({})", written(a), written(b)),
        Tree::Choose(all) => {
            let [a, b, c] = all.each_ref().map(written);
            format!("({a}) ? {b} : ({c})")
        }
    }
}

/// In 128 bits, cut to the range of 64 after every operation.
fn direct(tree: &Tree, fields: &[i64]) -> i128 {
    let wide = match tree {
        Tree::Number(number) => (*number).into(),
        Tree::Field(field) => fields[*field].into(),
        Tree::Unary(op, a) => {
            let a = direct(a, fields);
            match *op {
                "-" => -a,
                "!" => (a == 0).into(),
                _ => (0..63).rev().find(|bit| a >> bit >= 1).unwrap_or(0),
            }
        }
        Tree::Binary(op, a, b) => {
            let (a, b) = (direct(a, fields), direct(b, fields));
            match *op {
                "+" => a + b,
                "-" => a - b,
                "*" => a * b,
                "/" => {
                    if b == 0 {
                        0
                    } else {
                        a / b
                    }
                }
                "%" => {
                    if b == 0 {
                        0
                    } else {
                        a % b
                    }
                }
                "<" => (a < b).into(),
                "<=" => (a <= b).into(),
                ">" => (a > b).into(),
                ">=" => (a >= b).into(),
                "==" => (a == b).into(),
                "!=" => (a != b).into(),
                "&&" => (a != 0 && b != 0).into(),
                "||" => (a != 0 || b != 0).into(),
                "min" => a.min(b),
                _ => a.max(b),
            }
        }
        Tree::Choose(all) => {
            let [a, b, c] = all.each_ref().map(|tree| direct(tree, fields));
            if a == 0 { c } else { b }
        }
    };
    wide.clamp(i64::MIN.into(), i64::MAX.into())
}

proptest! {
    #[test]
    fn agrees_with_the_tree(tree in tree(), fields in any::<[i64; 3]>()) {
        let text = written(&tree);
        prop_assume!(text.len() <= MAX_TEXT);
        let expression = Expression::parse(&text, &FIELDS).unwrap();
        prop_assert_eq!(i128::from(expression.evaluate(&fields)), direct(&tree, &fields), "{}", text);
    }

    #[test]
    fn any_text_gives_a_value_or_an_error(text in "[-+*/%<>=!?:(),0-9a-z_. &|]{0,60}", fields in any::<[i64; 3]>()) {
        if let Ok(expression) = Expression::parse(&text, &FIELDS) {
            let _ = expression.evaluate(&fields);
        }
    }
}
