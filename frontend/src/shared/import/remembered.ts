import { plain } from "./targets";

const keyOf = (noun: string) => `import-columns:${noun}`;

/** What was chosen for columns of files about a kind of record, by their plain headers. */
export function rememberedColumns(noun: string): ReadonlyMap<string, string> {
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

/** Remembers what was chosen, besides what had been chosen for other columns. */
export function rememberColumns(
  noun: string,
  headers: readonly string[],
  columns: readonly (string | null)[],
): void {
  const all = new Map(rememberedColumns(noun));
  const chosen = headers.map((header, index) => [plain(header), columns[index] ?? ""] as const);
  // Of columns with the same name at most one is taken; that the others are not, is not what was chosen.
  for (const [header, name] of chosen.toSorted(
    ([, one], [, other]) => Number(one !== "") - Number(other !== ""),
  )) {
    if (header !== "") all.set(header, name);
  }
  localStorage.setItem(keyOf(noun), JSON.stringify(Object.fromEntries(all)));
}
