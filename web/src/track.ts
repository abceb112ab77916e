// Where a slider goes.
import type { Control } from "./protocol";

/** The places of a slider. */
export const PLACES = 200;
/** How far a slider goes from where it stands, each way, where nothing bounds it. */
const REACH = 64;

/** Where a slider goes: evenly, or by factors where the range is wide or open. */
export class Track {
  readonly least: number;
  readonly most: number;
  readonly by_factors: boolean;

  constructor(control: Pick<Control, "least" | "most" | "number" | "kind">) {
    const at = control.number ?? 0;
    const [low, high] = [control.least ?? -Infinity, control.most ?? Infinity];
    this.by_factors = !(high - low <= 1000 && low > -Infinity) || (low > 0 && high / low > 1000);
    if (!this.by_factors) {
      [this.least, this.most] = [low, high];
      return;
    }
    const from = at > 0 ? at : 1;
    // Whole powers of two, so that a slider comes back to where it was.
    this.least = Math.max(from / REACH, low > 0 ? low : 0);
    this.most = Math.min(from * REACH, high);
  }

  place(value: number): number {
    const { least, most } = this;
    const part = this.by_factors
      ? Math.log(value / least) / Math.log(most / least)
      : (value - least) / (most - least);
    return Math.round(Math.min(1, Math.max(0, part || 0)) * PLACES);
  }

  value(place: number, whole: boolean): number {
    const part = place / PLACES;
    const { least, most } = this;
    const value = this.by_factors ? least * (most / least) ** part : least + (most - least) * part;
    if (!whole) return Number(value.toPrecision(3));
    const digits = Math.max(0, Math.floor(Math.log10(Math.max(value, 1))) - 2);
    return Math.round(value / 10 ** digits) * 10 ** digits;
  }
}
