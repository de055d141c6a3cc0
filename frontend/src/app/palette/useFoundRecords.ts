import { useEffect, useState } from "react";
import { apiClient } from "@/shared/api/client";
import { capitalized } from "@/shared/format/capitalized";
import type { Identified, RecordDefinition } from "@/shared/records";
import type { Entry } from "./entries";
import type { Group } from "./ranking";
import { recordEntry } from "./records";

/** Long enough that a fast typist is asked for once: who is found is recorded as seen. In milliseconds. */
const PAUSE = 200;
/** A single letter finds nearly everybody. */
const SHORTEST = 2;
/** Of each kind; who wants more looks into its list. */
const MOST = 5;

interface Answer {
  query: string;
  groups: readonly Group<Entry>[];
  /** Why some kind could not be searched. */
  failure: unknown;
}

export interface FoundRecords extends Omit<Answer, "query"> {
  /** The answer to what is asked is on its way; until then there is the last one. */
  isSearching: boolean;
}

const NOTHING: Answer = { query: "", groups: [], failure: undefined };

/**
 * Records of all kinds that the server finds. It keeps no answer beyond the palette, nor does it ask by itself again:
 * each answer shows somebody's data.
 * @param kinds those whom the reader may search.
 */
export function useFoundRecords(kinds: readonly RecordDefinition[], typed: string): FoundRecords {
  const [answer, setAnswer] = useState(NOTHING);
  const query = typed.trim();
  const isAsked = kinds.length > 0 && query.length >= SHORTEST;

  useEffect(() => {
    if (!isAsked) return;
    const abort = new AbortController();
    const timer = setTimeout(async () => {
      const found = await Promise.allSettled(kinds.map((kind) => search(kind, query, abort.signal)));
      if (abort.signal.aborted) return;
      setAnswer({
        query,
        groups: found.flatMap((one) => (one.status === "fulfilled" ? [one.value] : [])),
        failure: found.find((one) => one.status === "rejected")?.reason,
      });
    }, PAUSE);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [kinds, query, isAsked]);

  if (!isAsked) return { groups: [], failure: undefined, isSearching: false };
  if (answer.query === query) return { ...answer, isSearching: false };
  // Those found before may well be meant: such as can be seen to be.
  const groups = answer.groups.map(({ heading, items }) => ({
    heading,
    items: items.map((item) => ({ ...item, isFound: false })),
  }));
  return { groups, failure: undefined, isSearching: true };
}

async function search(
  definition: RecordDefinition,
  query: string,
  signal: AbortSignal,
): Promise<Group<Entry>> {
  const { noun, path } = definition.api;
  const asked = new URLSearchParams({ q: query, page: "0", size: String(MOST) });
  const { data } = await apiClient.get<{ content: Identified[] }>(`${path}?${asked}`, { signal });
  return {
    heading: `${capitalized(noun)}s`,
    items: data.content.map((wire) => ({ ...recordEntry(definition, wire, query), isFound: true })),
  };
}
