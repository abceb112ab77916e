// A setup in a link: JSON in base64url behind the #, which browsers send to nobody.

/** The longest text that is worth a look. */
const LONGEST = 1 << 20;

export function to_link(setup: unknown): string {
  const bytes = new TextEncoder().encode(JSON.stringify(setup));
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return "#" + btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** The text of a setup in a link's part behind the #; whether it is a setup is the engine's to say. */
export function from_link(hash: string): string {
  const text = hash.replace(/^#/, "");
  if (text.length > LONGEST)
    throw new Error(`the link has ${text.length} characters: ${LONGEST} at most are read`);
  try {
    const plain = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(plain, (letter) => letter.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Error("the link's part behind # is no setup: copy it whole, or choose a story");
  }
}
