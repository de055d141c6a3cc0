import { folded } from "@/shared/table/search";

/** What the palette finds. */
export interface Findable {
  title: string;
  /** By which it is found exactly, though its title is another. */
  id?: string;
  /** What else it is found by. */
  words?: readonly string[];
  /** Somebody who can tell has found it; whether that can be seen here or not. */
  isFound?: boolean;
}

/** How well something is what was asked for: the less, the better. */
export const RANK = { exact: 0, beginning: 1, word: 2, within: 3, elsewhere: 4, none: 5 } as const;

/** How well a query tells of something; `none`: not at all. */
export function rankOf({ title, id = "", words = [], isFound = false }: Findable, query: string): number {
  const asked = folded(query.trim());
  if (asked === "") return RANK.beginning;
  const name = folded(title);
  const number = folded(id);
  if (number === asked || name === asked) return RANK.exact;
  if (number.startsWith(asked) || name.startsWith(asked)) return RANK.beginning;
  const terms = asked.split(/\s+/);
  const named = name.split(/[^\p{L}\p{N}]+/u);
  if (terms.every((term) => named.some((word) => word.startsWith(term)))) return RANK.word;
  if (name.includes(asked) || number.includes(asked)) return RANK.within;
  const all = [name, number, ...words.map(folded)].join("\n");
  if (terms.every((term) => all.includes(term))) return RANK.elsewhere;
  return isFound ? RANK.elsewhere : RANK.none;
}

/** What belongs under one heading. */
export interface Group<Item> {
  heading: string;
  items: readonly Item[];
}

/** What a query tells of, the best first, in the group and between the groups; what is as good stays in its order. */
export function ranked<Item extends Findable>(groups: readonly Group<Item>[], query: string): Group<Item>[] {
  return groups
    .map(({ heading, items }) => {
      const found = items
        .map((item) => ({ item, rank: rankOf(item, query) }))
        .filter(({ rank }) => rank < RANK.none)
        .toSorted((one, other) => one.rank - other.rank);
      return { heading, items: found.map(({ item }) => item), best: found[0]?.rank ?? RANK.none };
    })
    .filter(({ items }) => items.length > 0)
    .toSorted((one, other) => one.best - other.best);
}
