/** The parameter that carries the moment, in addresses of screens and of the API alike. */
const AS_OF = "as_of";

/** RFC 3339 (section 5.6) as the API takes it: with its time zone. */
const INSTANT = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)$/;
const MICROSECONDS_PER_MILLISECOND = 1000;

/** The moment that an address asks for, as it is written there; null where it asks for the present. */
export function readAsOf(search: string): string | null {
  return new URLSearchParams(search).get(AS_OF);
}

/** An address at another moment; null leads to the present. */
export function withAsOf(address: string, asOf: string | null): string {
  const [, path = "", search = "", hash = ""] = /^([^?#]*)(\?[^#]*)?(#.*)?$/.exec(address) ?? [];
  const params = new URLSearchParams(search);
  if (asOf === null) params.delete(AS_OF);
  else params.set(AS_OF, asOf);
  const text = params.toString();
  return path + (text === "" ? "" : `?${text}`) + hash;
}

/**
 * An instant in microseconds, as the log counts them; what is finer is cut off.
 * @returns NaN where the text names no instant.
 */
export function microseconds(instant: string): number {
  const fraction = INSTANT.exec(instant)?.[1];
  const withoutFraction = fraction === undefined ? instant : instant.replace(fraction, "");
  const seconds = INSTANT.test(instant) ? Date.parse(withoutFraction) : Number.NaN;
  return seconds * MICROSECONDS_PER_MILLISECOND + Number((fraction ?? ".").slice(1, 7).padEnd(6, "0"));
}

/** The last instant before a change: what was then is what the change changed. */
export function justBefore(moment: string): string {
  return toText(microseconds(moment) - 1);
}

/** The next instant that the log can tell from this one; text that names none is left alone. */
export function justAfter(instant: string): string {
  const after = microseconds(instant) + 1;
  return Number.isNaN(after) ? instant : toText(after);
}

/** In UTC, to the microsecond. */
function toText(instant: number): string {
  const milliseconds = Math.floor(instant / MICROSECONDS_PER_MILLISECOND);
  const rest = String(instant - milliseconds * MICROSECONDS_PER_MILLISECOND).padStart(3, "0");
  return new Date(milliseconds).toISOString().replace("Z", `${rest}Z`);
}

/** What a date input and a time input hold: `YYYY-MM-DD` and `HH:MM:SS`, by the reader's clock. */
export interface LocalTime {
  date: string;
  time: string;
}

/** An instant by the reader's clock, to the second. */
export function toLocal(instant: Date): LocalTime {
  const two = (number: number) => String(number).padStart(2, "0");
  const year = String(instant.getFullYear()).padStart(4, "0");
  return {
    date: `${year}-${two(instant.getMonth() + 1)}-${two(instant.getDate())}`,
    time: [instant.getHours(), instant.getMinutes(), instant.getSeconds()].map(two).join(":"),
  };
}

/** The instant that the reader's clock shows so; undefined where the inputs hold none. */
export function fromLocal({ date, time }: LocalTime): Date | undefined {
  const instant = new Date(`${date}T${time}`);
  return Number.isNaN(instant.getTime()) ? undefined : instant;
}
