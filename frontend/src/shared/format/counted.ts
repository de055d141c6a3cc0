/** Format numbers the Indian way. */
export const grouped = new Intl.NumberFormat("en-IN");

/** `1 change`, `1,000 changes`. */
export function counted(count: number, noun: string): string {
  return `${grouped.format(count)} ${noun}${count === 1 ? "" : "s"}`;
}
