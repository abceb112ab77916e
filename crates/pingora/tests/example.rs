//! The example is the one that the page on the proxy shows.

#[test]
fn the_page_shows_the_example() -> std::io::Result<()> {
    let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/proxy.md");
    let page = std::fs::read_to_string(page)?;
    let example = include_str!("../examples/service.rs");
    let (_, code) = example.split_once("\n\n").unwrap_or_default();
    assert!(page.contains(&format!("```rust\n{code}```")), "docs/proxy.md shows another service");
    Ok(())
}
