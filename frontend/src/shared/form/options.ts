export interface SelectOption {
  value: string;
  label: string;
  description?: string | undefined;
}

/** Return the options whose label or description contains all words, ignoring case. */
export function findOptions(options: readonly SelectOption[], query: string): readonly SelectOption[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return options.filter(({ label, description = "" }) => {
    const text = `${label} ${description}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** Return the index that a key moves to, without wrapping; undefined for other keys. */
export function moveInOptions(key: string, active: number, count: number): number | undefined {
  const last = Math.max(0, count - 1);
  switch (key) {
    case "ArrowDown":
      return Math.min(active + 1, last);
    case "ArrowUp":
      return Math.max(active - 1, 0);
    case "Home":
      return 0;
    case "End":
      return last;
    default:
      return undefined;
  }
}
