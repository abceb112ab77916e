//! From text to operations, by recursive descent with a counted depth.

use alloc::string::ToString;
use alloc::vec::Vec;

use forebay_parameters::UnknownName;

use crate::error::{ExpressionError, Problem};
use crate::program::{Binary, MAX_STACK, Op, Unary};
use crate::token::{Token, Tokens};
use crate::{MAX_DEPTH, MAX_TEXT};

type Parsed = Result<(), ExpressionError>;

/// A binary operator: its sign, what it does, and whether the result is negated (`a > b` is not
/// `a <= b`).
struct Operator {
    sign: &'static str,
    op: Binary,
    negated: bool,
}

const fn plain(sign: &'static str, op: Binary) -> Operator {
    Operator { sign, op, negated: false }
}

const fn not(sign: &'static str, op: Binary) -> Operator {
    Operator { sign, op, negated: true }
}

/// The binary operators by level, loosest first.
const LEVELS: [&[Operator]; 5] = [
    &[plain("||", Binary::Or)],
    &[plain("&&", Binary::And)],
    &[
        plain("<", Binary::Less),
        plain("<=", Binary::LessOrEqual),
        not(">", Binary::LessOrEqual),
        not(">=", Binary::Less),
        plain("==", Binary::Equal),
        not("!=", Binary::Equal),
    ],
    &[plain("+", Binary::Add), plain("-", Binary::Subtract)],
    &[plain("*", Binary::Multiply), plain("/", Binary::Divide), plain("%", Binary::Remainder)],
];

/// The level whose operators do not chain.
const COMPARISONS: usize = 2;

/// The functions: name, arguments, what they do.
const FUNCTIONS: [(&str, usize, Op); 3] = [
    ("min", 2, Op::Binary(Binary::Min)),
    ("max", 2, Op::Binary(Binary::Max)),
    ("log2", 1, Op::Unary(Unary::Log2)),
];

/// Words that mean a field in other tools: one word each in all rules of the house.
const OTHER_WORDS: [(&str, &str); 4] =
    [("length", "size"), ("len", "size"), ("bytes", "size"), ("time", "now")];

struct Parser<'t, 'f> {
    tokens: Tokens<'t>,
    next: Token<'t>,
    column: usize,
    depth: usize,
    height: usize,
    ops: Vec<Op>,
    fields: &'f [&'f str],
}

/// Parses a whole text into operations.
pub(crate) fn ops(text: &str, fields: &[&str]) -> Result<Vec<Op>, ExpressionError> {
    if text.len() > MAX_TEXT {
        return Err(ExpressionError { column: MAX_TEXT + 1, problem: Problem::TooLong });
    }
    let tokens = Tokens::new(text);
    let ops = Vec::new();
    let (next, column, depth, height) = (Token::End, 1, 0, 0);
    let mut parser = Parser { tokens, next, column, depth, height, ops, fields };
    parser.advance()?;
    parser.conditional()?;
    match parser.next {
        Token::End => Ok(parser.ops),
        Token::Number(_) | Token::Name(_) | Token::Sign(_) => {
            Err(parser.expected("an operator or the end"))
        }
    }
}

impl<'t> Parser<'t, '_> {
    fn advance(&mut self) -> Parsed {
        (self.next, self.column) = self.tokens.next()?;
        Ok(())
    }

    fn fail(&self, problem: Problem) -> ExpressionError {
        ExpressionError { column: self.column, problem }
    }

    fn expected(&self, what: &'static str) -> ExpressionError {
        self.fail(Problem::Expected { what, found: self.next.to_string() })
    }

    /// Consumes the sign if it is next.
    fn accept(&mut self, sign: &'static str) -> Result<bool, ExpressionError> {
        let found = self.next == Token::Sign(sign);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    fn require(&mut self, sign: &'static str, what: &'static str) -> Parsed {
        if self.accept(sign)? { Ok(()) } else { Err(self.expected(what)) }
    }

    /// Adds an operation with this many operands.
    fn emit(&mut self, op: Op, takes: usize) -> Parsed {
        self.height = self.height + 1 - takes;
        if self.height > MAX_STACK {
            return Err(self.fail(Problem::TooDeep));
        }
        self.ops.push(op);
        Ok(())
    }

    /// Goes one level deeper; every recursion passes through here.
    fn nested(&mut self, parse: impl FnOnce(&mut Self) -> Parsed) -> Parsed {
        if self.depth == MAX_DEPTH {
            return Err(self.fail(Problem::TooDeep));
        }
        self.depth += 1;
        parse(self)?;
        self.depth -= 1;
        Ok(())
    }

    fn conditional(&mut self) -> Parsed {
        self.binary(0)?;
        if self.accept("?")? {
            self.nested(Self::conditional)?;
            self.require(":", "`:` and the other value")?;
            self.nested(Self::conditional)?;
            self.emit(Op::Choose, 3)?;
        }
        Ok(())
    }

    fn binary(&mut self, level: usize) -> Parsed {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        self.binary(level + 1)?;
        let mut compared = false;
        while let Some(operator) = operators.iter().find(|o| self.next == Token::Sign(o.sign)) {
            if level == COMPARISONS && compared {
                return Err(self.fail(Problem::Chained));
            }
            self.advance()?;
            self.binary(level + 1)?;
            self.emit(Op::Binary(operator.op), 2)?;
            if operator.negated {
                self.emit(Op::Unary(Unary::Not), 1)?;
            }
            compared = true;
        }
        Ok(())
    }

    fn unary(&mut self) -> Parsed {
        for (sign, op) in [("-", Unary::Negate), ("!", Unary::Not)] {
            if self.accept(sign)? {
                self.nested(Self::unary)?;
                return self.emit(Op::Unary(op), 1);
            }
        }
        self.atom()
    }

    fn atom(&mut self) -> Parsed {
        match self.next {
            Token::Number(number) => {
                self.emit(Op::Number(number), 0)?;
                self.advance()
            }
            Token::Name(name) => self.name(name),
            Token::Sign("(") => {
                self.advance()?;
                self.nested(Self::conditional)?;
                self.require(")", "`)`")
            }
            Token::Sign(_) | Token::End => {
                Err(self.expected("a number, a field, a function or `(`"))
            }
        }
    }

    /// A field, or a call.
    fn name(&mut self, name: &'t str) -> Parsed {
        let column = self.column;
        self.advance()?;
        if self.next == Token::Sign("(") {
            return self.call(name, column);
        }
        let place = self.fields.iter().position(|field| *field == name);
        let Some(place) = place.and_then(|place| u32::try_from(place).ok()) else {
            return Err(ExpressionError { column, problem: unknown(name, self.fields) });
        };
        self.emit(Op::Field(place), 0)
    }

    fn call(&mut self, name: &'t str, column: usize) -> Parsed {
        let Some((name, takes, op)) = FUNCTIONS.into_iter().find(|f| f.0 == name) else {
            let unknown = UnknownName::new("function", name, FUNCTIONS.map(|f| f.0));
            return Err(ExpressionError { column, problem: Problem::Unknown(unknown) });
        };
        let wrong = || ExpressionError { column, problem: Problem::Arguments { name, takes } };
        self.advance()?;
        for argument in 0..takes {
            if argument > 0 && !self.accept(",")? {
                return Err(wrong());
            }
            self.nested(Self::conditional)?;
        }
        if self.next == Token::Sign(",") {
            return Err(wrong());
        }
        self.require(")", "`)`")?;
        self.emit(op, takes)
    }
}

/// Why a name is no field.
fn unknown(name: &str, fields: &[&str]) -> Problem {
    let meant = OTHER_WORDS.iter().find(|(word, field)| *word == name && fields.contains(field));
    match meant {
        Some((_, field)) => Problem::Renamed { name: name.to_string(), field },
        None => Problem::Unknown(UnknownName::new("field", name, fields.iter().copied())),
    }
}
