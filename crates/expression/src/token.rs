//! The tokens of an expression: numbers, names and signs, each with its column.

use core::fmt;

use crate::error::{ExpressionError, Problem};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token<'t> {
    Number(i64),
    Name(&'t str),
    /// An operator or a bracket.
    Sign(&'static str),
    /// The end of the text.
    End,
}

impl fmt::Display for Token<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Token::Number(number) => write!(f, "`{number}`"),
            Token::Name(name) => write!(f, "`{name}`"),
            Token::Sign(sign) => write!(f, "`{sign}`"),
            Token::End => f.write_str("the end"),
        }
    }
}

/// Every sign, those of two characters first.
const SIGNS: [&str; 20] = [
    "||", "&&", "<=", ">=", "==", "!=", "<", ">", "+", "-", "*", "/", "%", "!", "?", ":", "(", ")",
    ",", "=",
];

/// Splits a text into tokens.
pub(crate) struct Tokens<'t> {
    rest: &'t str,
    column: usize,
}

impl<'t> Tokens<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Tokens { rest: text, column: 1 }
    }

    /// The next token and its column.
    pub(crate) fn next(&mut self) -> Result<(Token<'t>, usize), ExpressionError> {
        let blank = self.rest.len() - self.rest.trim_start().len();
        self.take(blank);
        let column = self.column;
        let Some(first) = self.rest.chars().next() else { return Ok((Token::End, column)) };
        let fail = |problem| Err(ExpressionError { column, problem });
        if first.is_ascii_digit() {
            let digits = self.take_while(|c| c.is_ascii_digit() || c == '_');
            let number = digits.bytes().filter(u8::is_ascii_digit).try_fold(0_i64, |sum, digit| {
                sum.checked_mul(10)?.checked_add(i64::from(digit - b'0'))
            });
            return match number {
                Some(number) => Ok((Token::Number(number), column)),
                None => fail(Problem::Number),
            };
        }
        if first.is_alphabetic() || first == '_' {
            let name = self.take_while(|c| c.is_alphanumeric() || c == '_' || c == '.');
            return Ok((Token::Name(name), column));
        }
        match SIGNS.into_iter().find(|sign| self.rest.starts_with(sign)) {
            Some(sign) => {
                self.take(sign.len());
                Ok((Token::Sign(sign), column))
            }
            None => fail(Problem::Character(first)),
        }
    }

    fn take_while(&mut self, belongs: impl Fn(char) -> bool) -> &'t str {
        let end = self.rest.find(|c| !belongs(c)).unwrap_or(self.rest.len());
        self.take(end)
    }

    /// Consumes this many bytes, which end at a character boundary.
    fn take(&mut self, bytes: usize) -> &'t str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.column += taken.chars().count();
        self.rest = rest;
        taken
    }
}
