import type { ReactElement } from "react";
import { folded, isFound, searchText, soughtIn } from "@/shared/table/search";

/** A result of the palette: a link or an action. */
export interface Entry {
  /** Entries with the same key are duplicates. */
  key: string;
  title: string;
  icon: ReactElement;
  /** Shown to the right of the title. */
  detail?: string | undefined;
  /** Also matched exactly. */
  id?: string;
  /** Further searched texts. */
  words?: readonly string[];
  /** Whether the server found the entry, even if no text here matches. */
  isFound?: boolean;
  to?: string | undefined;
  act?: (() => void) | undefined;
}

type Matchable = Omit<Entry, "key" | "icon">;

/** Ranks of a match, best first. */
export const RANK = { exact: 0, beginning: 1, word: 2, within: 3, elsewhere: 4, none: 5 } as const;

/** The rank of an entry for a query. */
export function rankOf({ title, id = "", words = [], isFound = false }: Matchable, query: string): number {
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

/** A searched text of a record, and its field's label. */
export interface NamedText {
  label: string;
  text: string;
}

/**
 * The detail of a record: its id, and the field that matches a query, with its label. If the title or the id match, the
 * first field distinguishes records with the same name.
 */
export function detailOf(
  { title, id = "" }: Pick<Entry, "title" | "id">,
  fields: readonly NamedText[],
  query: string,
): string {
  const others = fields.filter(({ text }) => text !== "" && text !== title && text !== id);
  const matchOf = (asked: string) => {
    const sought = soughtIn(asked);
    const isMatch = (...texts: string[]) => sought.length > 0 && isFound(searchText(texts), sought);
    return isMatch(title, id) ? undefined : others.find(({ text }) => isMatch(text));
  };
  const match = [query, ...query.split(/\s+/)].map(matchOf).find((one) => one !== undefined);
  const shown = match ? `${match.label}: ${match.text}` : others[0]?.text;
  return [...(title === id ? [] : [id]), ...(shown === undefined ? [] : [shown])].join(" · ");
}

/** The entries under one heading. */
export interface Group<Item = Entry> {
  heading: string;
  items: readonly Item[];
}

/** The matching entries, best first within and between the groups. The order of equal ranks is stable. */
export function ranked<Item extends Matchable>(groups: readonly Group<Item>[], query: string): Group<Item>[] {
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
