/** Query parameter of screens and of the API. */
const AS_OF = "as_of";

/** RFC 3339 (section 5.6) with a time zone, as the API requires. */
const INSTANT = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)$/;
const MICROSECONDS_PER_MILLISECOND = 1000;

/** Return the moment in a query string, unparsed; null for the present. */
export function readAsOf(search: string): string | null {
  return new URLSearchParams(search).get(AS_OF);
}

/** Return an address with another moment; null for the present. */
export function withAsOf(address: string, asOf: string | null): string {
  const [, path = "", search = "", hash = ""] = /^([^?#]*)(\?[^#]*)?(#.*)?$/.exec(address) ?? [];
  const params = new URLSearchParams(search);
  if (asOf === null) params.delete(AS_OF);
  else params.set(AS_OF, asOf);
  const text = params.toString();
  return path + (text === "" ? "" : `?${text}`) + hash;
}

/**
 * Return an RFC 3339 instant in microseconds, the log's precision; finer digits are cut off.
 * @returns NaN for invalid text.
 */
export function microseconds(instant: string): number {
  const fraction = INSTANT.exec(instant)?.[1];
  const withoutFraction = fraction === undefined ? instant : instant.replace(fraction, "");
  const seconds = INSTANT.test(instant) ? Date.parse(withoutFraction) : Number.NaN;
  return seconds * MICROSECONDS_PER_MILLISECOND + Number((fraction ?? ".").slice(1, 7).padEnd(6, "0"));
}

/** Return the instant one microsecond before a change. */
export function justBefore(moment: string): string {
  return toText(microseconds(moment) - 1);
}

/** Return the instant one microsecond later; invalid text is returned unchanged. */
export function justAfter(instant: string): string {
  const after = microseconds(instant) + 1;
  return Number.isNaN(after) ? instant : toText(after);
}

/** Format an instant in microseconds as UTC. */
function toText(instant: number): string {
  const milliseconds = Math.floor(instant / MICROSECONDS_PER_MILLISECOND);
  const rest = String(instant - milliseconds * MICROSECONDS_PER_MILLISECOND).padStart(3, "0");
  return new Date(milliseconds).toISOString().replace("Z", `${rest}Z`);
}

/** The values of a date and a time input: `YYYY-MM-DD` and `HH:MM:SS` in the reader's time zone. */
export interface LocalTime {
  date: string;
  time: string;
}

/** Convert an instant to the reader's time zone, to the second. */
export function toLocal(instant: Date): LocalTime {
  const two = (number: number) => String(number).padStart(2, "0");
  const year = String(instant.getFullYear()).padStart(4, "0");
  return {
    date: `${year}-${two(instant.getMonth() + 1)}-${two(instant.getDate())}`,
    time: [instant.getHours(), instant.getMinutes(), instant.getSeconds()].map(two).join(":"),
  };
}

/** Convert a local time to an instant; undefined if it is invalid. */
export function fromLocal({ date, time }: LocalTime): Date | undefined {
  const instant = new Date(`${date}T${time}`);
  return Number.isNaN(instant.getTime()) ? undefined : instant;
}
