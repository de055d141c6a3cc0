import { plain } from "./targets";

const keyOf = (noun: string) => `import-columns:${noun}`;

/** Return the targets chosen for columns in earlier imports, by normalised header. */
export function storedColumns(noun: string): ReadonlyMap<string, string> {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(keyOf(noun)) ?? "{}");
    if (typeof stored !== "object" || stored === null) return new Map();
    return new Map(
      Object.entries(stored).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
    );
  } catch {
    return new Map();
  }
}

/** Store the targets chosen for columns, in addition to those of other columns. */
export function storeColumns(
  noun: string,
  headers: readonly string[],
  columns: readonly (string | null)[],
): void {
  const all = new Map(storedColumns(noun));
  const chosen = headers.map((header, index) => [plain(header), columns[index] ?? ""] as const);
  // Of columns with equal names only one is used: the others are not stored as ignored.
  for (const [header, name] of chosen.toSorted(
    ([, one], [, other]) => Number(one !== "") - Number(other !== ""),
  )) {
    if (header !== "") all.set(header, name);
  }
  localStorage.setItem(keyOf(noun), JSON.stringify(Object.fromEntries(all)));
}
