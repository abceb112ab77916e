// Elements of the page.

export function $<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found as T;
}

export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Record<string, string> = {},
  ...inside: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...inside);
  return made;
}

/** A table with a caption. */
export function table(title: string, heads: string[], rows: string[][]): HTMLTableElement {
  const head = element("tr", {}, ...heads.map((text) => element("th", { scope: "col" }, text)));
  const body = rows.map((row) => element("tr", {}, ...row.map((text) => element("td", {}, text))));
  if (rows.length === 0) {
    body.push(element("tr", {}, element("td", { colspan: String(heads.length) }, "none")));
  }
  return element(
    "table",
    {},
    element("caption", {}, title),
    element("thead", {}, head),
    element("tbody", {}, ...body),
  );
}

/** Something wide, which can be moved by keyboard. */
export function scroll(label: string, ...inside: Node[]): HTMLElement {
  return element(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": label },
    ...inside,
  );
}

/** Hands out a text as a file. */
export function save(name: string, text: string) {
  const url = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  const link = element("a", { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
