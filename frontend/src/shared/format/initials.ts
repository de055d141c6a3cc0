/** Return the first letters of up to two words, in upper case. */
export function initials(name: string): string {
  const words = name.split(/\s+/).filter(Boolean).slice(0, 2);
  return words
    .map((word) => [...word][0])
    .join("")
    .toUpperCase();
}
