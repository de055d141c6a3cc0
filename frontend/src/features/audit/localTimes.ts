import { microseconds, toLocal } from "@/shared/asOf/asOf";

/*
 * Conversions between a local date and time (`2026-11-21T17:30`) and instants. The end of a period is exclusive in
 * the API and inclusive on screen: "to 17:30" includes that minute.
 */

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** The instant of a field's value, as RFC 3339 with the browser's offset. */
export function startOf(local: string): string {
  return toRfc3339(Date.parse(local));
}

/** The first instant after the minute, or the second, of a field's value. */
export function endOf(local: string): string {
  const hasSeconds = local.length > "2026-11-21T17:30".length;
  return toRfc3339(Date.parse(local) + (hasSeconds ? SECOND : MINUTE));
}

/** A field's value for the start of a period; empty for an invalid instant. */
export function localStart(instant: string): string {
  return localText(microseconds(instant) / SECOND);
}

/** A field's value for the exclusive end of a period: the last minute or second before it. */
export function localEnd(instant: string): string {
  const end = microseconds(instant) / SECOND;
  const step = end % MINUTE === 0 ? MINUTE : end % SECOND === 0 ? SECOND : 0;
  return localText(end - step);
}

/** The earlier of two instants; an invalid first one is returned, so that the API reports the error. */
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
