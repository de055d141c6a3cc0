/** `City, Email and 3 more`. */
export function inWords(names: readonly string[]): string {
  const shown = names.slice(0, names.length <= 3 ? 3 : 2);
  const rest = names.length - shown.length;
  return shown.join(", ") + (rest > 0 ? ` and ${rest} more` : "");
}
