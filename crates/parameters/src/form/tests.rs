use super::*;
use alloc::vec::Vec;

#[derive(Debug, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    rate: String,
    classes: Option<u8>,
    share: Option<f64>,
    waits: Option<bool>,
    order: Option<Order>,
    #[serde(default)]
    sizes: Vec<String>,
    #[serde(default)]
    node: Vec<Node>,
    limits: Option<Node>,
    #[serde(default)]
    free: toml::Table,
    flows: Option<Flows>,
    buffer: Option<Amount>,
}

#[derive(Debug, PartialEq)]
struct Amount(forebay_units::Bytes);

impl<'de> serde::Deserialize<'de> for Amount {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read_quantity(deserializer).map(Amount)
    }
}

#[derive(Debug, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Node {
    name: String,
}

#[derive(Debug, PartialEq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Order {
    First,
    LastOfAll,
}

#[derive(Debug, PartialEq, serde::Deserialize)]
#[serde(untagged, expecting = "give a number, or two")]
enum Flows {
    One(u32),
    Two([u32; 2]),
}

fn refused(text: &str) -> String {
    read_toml::<File>(&format!("rate = \"1\"\n{text}")).unwrap_err().to_string()
}

#[test]
fn each_mistake_has_its_place_in_words_of_the_file_and_a_fix() {
    for (text, said) in [
        ("rat = 1", "line 2, column 1: there is no key `rat`; did you mean `rate`?"),
        ("[[node]]\nnam = 1", "line 3, column 1: there is no key `nam`; did you mean `name`?"),
        ("[limits]", "line 2, column 1: `limits` has no `name`; add name = …"),
        ("[[node]]", "line 2, column 1: `node` has no `name`; add name = …"),
        (
            "limits = { name = 3 }",
            "line 2, column 19: `name` is the number 3, not a text; put it between quotes",
        ),
        (
            "classes = 300",
            "`classes` is the number 300, not a whole number from 0 to 255; write such a number, \
             without quotes",
        ),
        ("classes = 1.5", "`classes` is the number 1.5, not a whole number from 0 to 255"),
        ("share = \"1\"", "`share` is the text \"1\", not a number"),
        ("waits = 1", "`waits` is the number 1, not true or false"),
        (
            "order = \"frist\"",
            "`order` cannot be \"frist\"; write one of \"first\", \"last-of-all\"",
        ),
        ("order = 1", "write one of \"first\", \"last-of-all\""),
        ("sizes = 3", "`sizes` is the number 3, not a list; write sizes = [ … ]"),
        ("sizes = [\"a\", 3]", "line 2, column 15: this is the number 3, not a text"),
        ("limits = 3", "`limits` is the number 3, not a table; write [limits] above its keys"),
        ("free = 3", "`free` is the number 3, not a table"),
        ("flows = \"x\"", "line 2, column 9: flows = \"x\": give a number, or two"),
        ("flows = 1979-05-27", "flows = 1979-05-27: give a number, or two"),
        ("buffer = 3", "buffer = 3: give it in quotes, with its unit"),
        ("buffer = \"3 parsecs\"", "buffer = \"3 parsecs\": \"3 parsecs\" is not a size"),
        ("buffer = []", "buffer: give a text in quotes, with its unit"),
        ("a = = 1", "line 2, column 5: this is not valid TOML: "),
        ("a = = 1", "; correct the syntax here"),
    ] {
        let found = refused(text);
        assert!(found.contains(said), "{text}: {found}");
    }
    let none = read_toml::<File>("").unwrap_err();
    assert_eq!(none.to_string(), "the file has no `rate`; add rate = …");
    assert_eq!(
        none.of_file("a.toml").render(),
        "a.toml: the file has no `rate`\n  fix: add rate = …\n"
    );
}

#[test]
fn what_is_right_is_read_as_by_the_parser_itself() {
    let text = "rate = \"1\"\nclasses = 0x1f\nshare = 1\nwaits = true\norder = \"last-of-all\"\n\
                sizes = [\"a\"]\nflows = [1, 2]\nnode = [{ name = \"n\" }]\n[limits]\nname = \"m\"\n\
                [free]\na.b = [1, 2.5, true, \"x\"]\n";
    let read: File = read_toml(text).unwrap();
    assert_eq!(read, toml::from_str(text).unwrap());
    assert_eq!(
        (read.classes, read.share, read.order),
        (Some(31), Some(1.0), Some(Order::LastOfAll))
    );
}
