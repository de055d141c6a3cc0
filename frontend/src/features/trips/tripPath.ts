/** The address of a trip's own area. */
export function tripPath(id: string): string {
  return `/trips/${encodeURIComponent(id)}`;
}
