/** Return the value of a `datetime-local` input for an instant (RFC 3339), in the user's time zone. */
export function toInput(moment: string): string {
  const at = new Date(moment);
  if (moment === "" || Number.isNaN(at.getTime())) return "";
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString();
  return local.slice(0, at.getSeconds() === 0 ? "2026-11-21T04:10".length : "2026-11-21T04:10:00".length);
}

/** Return the instant of a `datetime-local` input's value; empty without one. */
export function fromInput(text: string): string {
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? "" : at.toISOString();
}
