// Numbers as text, in the unit that suits them.

const digits = (value: number, most = 3) =>
  value.toLocaleString("en", { maximumSignificantDigits: most, useGrouping: false });

const SCALES: Record<string, [number, string][]> = {
  us: [
    [1e6, "s"],
    [1e3, "ms"],
    [1, "µs"],
    [1e-3, "ns"],
  ],
  bytes: [
    [1e9, "GB"],
    [1e6, "MB"],
    [1e3, "KB"],
    [1, "B"],
  ],
  "b/s": [
    [1e9, "Gb/s"],
    [1e6, "Mb/s"],
    [1e3, "Kb/s"],
    [1, "b/s"],
  ],
};

/** A value of a unit, as a person reads it. */
export function amount(value: number | null | undefined, unit: string): string {
  if (value == null || !Number.isFinite(value)) return "–";
  const scales = SCALES[unit];
  if (!scales) {
    const text = Number.isInteger(value) ? value.toLocaleString("en") : digits(value);
    return unit ? `${text} ${unit}` : text;
  }
  const found = scales.find(([size]) => Math.abs(value) >= size) ?? scales[scales.length - 1]!;
  const [size, name] =
    value === 0 ? (unit === "us" ? ([1, "µs"] as const) : scales[scales.length - 1]!) : found;
  return `${digits(value / size)} ${name}`;
}

/** One unit for a whole column, and its values in that: a column is read downwards. */
export function column(values: (number | null | undefined)[], unit: string): [string, string[]] {
  const most = Math.max(...values.map((value) => Math.abs(value ?? 0)));
  const scales = SCALES[unit];
  const [size, name] = scales?.find(([size]) => most >= size) ?? scales?.at(-1) ?? [1, unit];
  return [name, values.map((value) => amount(value == null ? value : value / size, ""))];
}

/** The places of values without a neighbour. */
export const alone = (values: ArrayLike<number | null | undefined>) =>
  Array.from(values, (_, place) => place).filter(
    (place) =>
      values[place] != null && values[place - 1] == null && values[place + 1] == null,
  );

/** The same at an axis: what is counted stands in the title. */
export function tick(value: number | null | undefined, unit: string): string {
  return amount(value, unit in SCALES || unit === "%" ? unit : "");
}

/** How much more or less than another. */
export function change(value: number | null, other: number | null): string {
  if (value == null || other == null) return "–";
  if (value === other) return "the same";
  if (other === 0) return "–";
  const percent = (value / other - 1) * 100;
  if (percent > 900) return `${digits(value / other)} times`;
  return `${percent > 0 ? "+" : "−"}${digits(Math.abs(percent))} %`;
}
