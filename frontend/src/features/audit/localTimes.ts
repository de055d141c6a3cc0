import { microseconds } from "@/shared/asOf/asOf";

/*
 * Between a `datetime-local` field, which has no zone, and instants, which have one. The end of a stretch of
 * time is exclusive in the API, and inclusive for people: "to 17:30" has all of that minute.
 */

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** The instant that a field names by the reader's clock, as RFC 3339 with that clock's zone. */
export function startOf(local: string): string {
  return toRfc3339(Date.parse(local));
}

/** The first instant after the minute (or the second, where there is one) that a field names. */
export function endOf(local: string): string {
  const hasSeconds = local.length > "2026-11-21T17:30".length;
  return toRfc3339(Date.parse(local) + (hasSeconds ? SECOND : MINUTE));
}

/** What a field shows for the first instant; empty where the text names none. */
export function localStart(instant: string): string {
  return localText(microseconds(instant) / SECOND);
}

/** What a field shows for the first instant that does not belong to it any more: the last one that does. */
export function localEnd(instant: string): string {
  const end = microseconds(instant) / SECOND;
  const step = end % MINUTE === 0 ? MINUTE : end % SECOND === 0 ? SECOND : 0;
  return localText(end - step);
}

/** The next instant that the log can tell from this one; text that names none is left alone. */
export function justAfter(instant: string): string {
  const after = microseconds(instant) + 1;
  if (Number.isNaN(after)) return instant;
  const milliseconds = Math.floor(after / SECOND);
  const rest = String(after - milliseconds * SECOND).padStart(3, "0");
  return new Date(milliseconds).toISOString().replace("Z", `${rest}Z`);
}

/** The earlier of two instants; one that is none counts, so that the API can say what is wrong with it. */
export function earlier(a: string, b: string): string {
  return microseconds(a) > microseconds(b) ? b : a;
}

function toRfc3339(at: number): string {
  if (Number.isNaN(at)) return "";
  const offset = -Math.round(new Date(at).getTimezoneOffset());
  const zone = `${offset < 0 ? "-" : "+"}${two(Math.abs(offset) / 60)}:${two(Math.abs(offset) % 60)}`;
  const local = localText(at);
  return `${local}${local.length === "2026-11-21T17:30".length ? ":00" : ""}${zone}`;
}

function localText(at: number): string {
  if (Number.isNaN(at)) return "";
  const date = new Date(at);
  const day = [String(date.getFullYear()).padStart(4, "0"), two(date.getMonth() + 1), two(date.getDate())];
  const time = [date.getHours(), date.getMinutes(), ...(date.getSeconds() === 0 ? [] : [date.getSeconds()])];
  return `${day.join("-")}T${time.map(two).join(":")}`;
}

function two(count: number): string {
  return String(Math.floor(count)).padStart(2, "0");
}
