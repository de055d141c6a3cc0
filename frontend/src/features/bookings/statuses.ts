/** A status as people read it: hyphens are spaces. */
export function statusText(status: string): string {
  return status.replaceAll("-", " ");
}

/** `1 trip`, `2 trips`. */
export function tripsText(count: number): string {
  return count === 1 ? "1 trip" : `${count} trips`;
}
