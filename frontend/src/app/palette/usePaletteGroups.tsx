import { Axle, Document, IdNumber, MapMarker } from "@blueprintjs/icons";
import { type ReactElement, useEffect, useMemo, useState } from "react";
import { useSWRConfig } from "swr";
import { lookedAt, offeredActions, type ScreenAction } from "@/shared/actions";
import { type ApiResponse, apiClient } from "@/shared/api/client";
import { useAuthStore } from "@/shared/auth/authStore";
import { useMe } from "@/shared/auth/permissions";
import { capitalized } from "@/shared/format/capitalized";
import type { Identified, RecordDefinition } from "@/shared/records";
import { viewPath } from "@/shared/records/paths";
import { listPath } from "@/shared/records/useRecords";
import { folded } from "@/shared/table/search";
import { TruckIcon } from "@/shared/ui";
import { type Findable, type Group, RANK, ranked, rankOf } from "./ranking";
import { screensOpenTo } from "./screens";

interface PaletteGroups {
  groups: readonly Group<Entry>[];
  /** Records are still being looked for. */
  isSearching: boolean;
  /** What is there already is so good that nothing better will come. */
  isSure: boolean;
  /** Why records could not be searched. */
  failure: unknown;
}

/** What the palette lists for what is typed: for nothing, what can be done here and what was looked at last. */
export function usePaletteGroups(kinds: readonly RecordDefinition[], typed: string): PaletteGroups {
  const { permissions } = useMe();
  const readable = useMemo(() => (permissions.includes("fleet:read") ? kinds : []), [kinds, permissions]);
  // As they are when it opens: what happens below it meanwhile moves nothing.
  const [ofScreen] = useState(() => offeredActions("screen").map(actionEntry));
  const [ofFrame] = useState(() => offeredActions("frame").map(actionEntry));
  const lookedAt = useState(useLookedAtEntries(readable))[0];
  const { groups: records, isSearching, failure } = useFoundRecords(readable, typed);

  return useMemo(() => {
    const named = new Map(records.flatMap(({ items }) => items.map((item) => [item.key, item])));
    const all = [
      { heading: "On this screen", items: ofScreen },
      { heading: "Looked at last", items: lookedAt.map((item) => named.get(item.key) ?? item) },
      ...records,
      { heading: "Go to", items: screensOpenTo(permissions, kinds) },
      { heading: "Everywhere", items: ofFrame },
    ];
    const groups = withoutRepeats(ranked(all, typed));
    const best = groups[0]?.items[0];
    return {
      groups,
      isSearching,
      failure,
      isSure: !isSearching || (best !== undefined && rankOf(best, typed) <= RANK.beginning),
    };
  }, [ofScreen, lookedAt, records, permissions, kinds, ofFrame, typed, isSearching, failure]);
}

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

interface FoundRecords extends Omit<Answer, "query"> {
  /** The answer to what is asked is on its way; until then there is the last one. */
  isSearching: boolean;
}

const NOTHING: Answer = { query: "", groups: [], failure: undefined };

/**
 * Records of all kinds that the server finds. It keeps no answer beyond the palette, nor does it ask by itself again:
 * each answer shows somebody's data.
 * @param kinds those whom the reader may search.
 */
function useFoundRecords(kinds: readonly RecordDefinition[], typed: string): FoundRecords {
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

/**
 * What the reader looked at last. They are called by name where an open screen knows it, and by id elsewhere: to ask
 * for the names would be recorded as looking at everybody again.
 */
function useLookedAtEntries(kinds: readonly RecordDefinition[]): readonly Entry[] {
  const { cache } = useSWRConfig();
  const sub = useAuthStore(({ user }) => user?.sub);
  return lookedAt(sub).flatMap(({ kind, id }) => {
    const definition = kinds.find(({ api }) => api.noun === kind);
    if (definition === undefined) return [];
    const { api } = definition;
    const answerAt = (path: string) => (cache.get(path)?.data as ApiResponse<unknown> | undefined)?.data;
    const single = answerAt(`${api.path}/${encodeURIComponent(id)}`);
    const list = answerAt(listPath(api)) as { content: Identified[] } | undefined;
    const wire = single === undefined ? list?.content.find((one) => one.id === id) : api.unwrap(single);
    return [wire === undefined ? unknownEntry(definition, id) : recordEntry(definition, wire, "")];
  });
}

const ICONS: Readonly<Record<string, ReactElement>> = {
  driver: <IdNumber />,
  trailer: <Axle />,
  horse: <TruckIcon />,
  location: <MapMarker />,
};

/**
 * A record as the palette lists it, by what this reader may know of it.
 * @param query what it was found by: that is shown beside its name.
 */
function recordEntry(definition: RecordDefinition, wire: Identified, query: string): Entry {
  const { api, heading, searchFields } = definition;
  const { id } = wire;
  const title = heading(api.toValues(wire), id, api.hiddenIn(wire)).title || id;
  const words = searchFields(api.toRow(wire)).filter((text) => text !== "" && text !== title && text !== id);
  const asked = folded(query.trim());
  const telling = words.find((text) => asked !== "" && folded(text).includes(asked)) ?? words[0];
  return {
    ...placeOf(definition, id),
    title,
    words,
    detail: [...(title === id ? [] : [id]), ...(telling === undefined ? [] : [telling])].join(" · "),
  };
}

/** A record of which no more is known here than which it is. */
function unknownEntry(definition: RecordDefinition, id: string): Entry {
  return { ...placeOf(definition, id), title: id, detail: capitalized(definition.api.noun) };
}

function placeOf({ api, paths }: RecordDefinition, id: string) {
  const to = viewPath(paths, id);
  return { key: to, to, id, icon: ICONS[api.noun] ?? <Document /> };
}

/** What the palette lists: it leads somewhere, or does something at once. */
export interface Entry extends Findable {
  /** Tells it from the others; two that lead to the same place are the same. */
  key: string;
  icon: ReactElement;
  /** Tells more of it, beside its title. */
  detail?: string | undefined;
  to?: string | undefined;
  act?: (() => void) | undefined;
}

function actionEntry({ text, icon, to, onSelect }: ScreenAction): Entry {
  return { key: to ?? `do ${text}`, title: text, icon, to, act: onSelect };
}

/** The groups without what an earlier one has already. */
function withoutRepeats<Group extends { items: readonly Entry[] }>(
  groups: readonly Group[],
): readonly Group[] {
  const seen = new Set<string>();
  return groups
    .map((group) => ({ ...group, items: group.items.filter(({ key }) => !seen.has(key) && seen.add(key)) }))
    .filter(({ items }) => items.length > 0);
}
