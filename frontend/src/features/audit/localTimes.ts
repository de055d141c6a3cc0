import { microseconds, toLocal } from "@/shared/asOf/asOf";

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

/** The earlier of two instants; one that is none counts, so that the API can say what is wrong with it. */
export function earlier(a: string, b: string): string {
  return microseconds(a) > microseconds(b) ? b : a;
}

function toRfc3339(at: number): string {
  if (Number.isNaN(at)) return "";
  const offset = -Math.round(new Date(at).getTimezoneOffset());
  const two = (count: number) => String(Math.floor(count)).padStart(2, "0");
  const zone = `${offset < 0 ? "-" : "+"}${two(Math.abs(offset) / 60)}:${two(Math.abs(offset) % 60)}`;
  const local = localText(at);
  return `${local}${local.length === "2026-11-21T17:30".length ? ":00" : ""}${zone}`;
}

function localText(at: number): string {
  if (Number.isNaN(at)) return "";
  const { date, time } = toLocal(new Date(at));
  return `${date}T${time.replace(/:00$/, "")}`;
}
