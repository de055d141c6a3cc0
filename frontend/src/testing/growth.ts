import fc from "fast-check";

/* Measures how processing time grows with the length of a text; like ops/tests/growth/test_attacks_growth.py. */

/** A family of texts: a repeated unit between a prefix and a suffix. */
export interface Hostile {
  prefix: string;
  unit: string;
  suffix: string;
}

/** The maximum ratio of times for twice the text. */
const RATIO = 2.5;
/** Milliseconds of a doubling that are always tolerated. */
const TOLERANCE = 5;
const LONGEST = 64 * 1024;
const DOUBLINGS = 6;
const CAREFUL_RUNS = 7;
/** Another process may slow down all runs of a turn. */
const TURNS = 3;

/** Deterministic families made of tokens. */
export function hostile(tokens: readonly string[], count: number): Hostile[] {
  const some = (minLength: number, maxLength: number) =>
    fc.array(fc.constantFrom(...tokens), { minLength, maxLength }).map((parts) => parts.join(""));
  const families = fc.record({ prefix: some(0, 3), unit: some(1, 3), suffix: some(0, 2) });
  return fc.sample(families, { numRuns: count, seed: 15 });
}

/** The first doubling that takes too long; undefined if none does. */
export function excess(work: (text: string) => unknown, family: Hostile): string | undefined {
  let shorter = milliseconds(work, textOf(family, LONGEST >> DOUBLINGS), 1);
  for (let halvings = DOUBLINGS - 1; halvings >= 0; halvings -= 1) {
    const length = LONGEST >> halvings;
    let longer = milliseconds(work, textOf(family, length), 1);
    if (isBad(shorter, longer)) {
      shorter = longer = Number.POSITIVE_INFINITY;
      for (let turn = 0; turn < TURNS; turn += 1) {
        shorter = Math.min(shorter, milliseconds(work, textOf(family, length >> 1), CAREFUL_RUNS));
        longer = Math.min(longer, milliseconds(work, textOf(family, length), CAREFUL_RUNS));
      }
      if (isBad(shorter, longer)) {
        return `${length} characters of ${JSON.stringify(family)} take ${longer} ms, half of them ${shorter} ms`;
      }
    }
    shorter = longer;
  }
  return undefined;
}

function isBad(shorter: number, longer: number): boolean {
  return longer > RATIO * shorter + TOLERANCE;
}

function textOf({ prefix, unit, suffix }: Hostile, length: number): string {
  return prefix + unit.repeat(Math.ceil(length / unit.length)) + suffix;
}

/** The minimum processor time of some runs. */
function milliseconds(work: (text: string) => unknown, text: string, runs: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs; run += 1) {
    const before = process.cpuUsage();
    work(text);
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}
