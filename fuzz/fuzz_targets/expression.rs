//! Any text as an expression: a value for any fields, or an error that names a column; never a
//! panic.
#![no_main]

use forebay_expression::Expression;
use libfuzzer_sys::fuzz_target;

const FIELDS: [&str; 4] = ["now", "size", "class", "deadline"];

fuzz_target!(|text: &str| {
    match Expression::parse(text, &FIELDS) {
        Ok(expression) => {
            for fields in [[0; 4], [i64::MIN; 4], [i64::MAX; 4], [1, -1, 7, 1 << 40]] {
                let value = expression.evaluate(&fields);
                assert_eq!(value, expression.evaluate(&fields));
            }
        }
        Err(error) => {
            assert!(error.column >= 1 && error.column <= text.chars().count() + 1);
            assert!(error.to_string().starts_with("column "));
        }
    }
});
