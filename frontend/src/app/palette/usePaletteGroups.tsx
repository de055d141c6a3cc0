import { Axle, Document, IdNumber, MapMarker, Notifications, SwapHorizontal } from "@blueprintjs/icons";
import { type ReactElement, useEffect, useMemo, useState } from "react";
import { useSWRConfig } from "swr";
import { offeredActions, recentRecords, type ScreenAction } from "@/shared/actions";
import { type ApiResponse, apiClient } from "@/shared/api/client";
import { useAuthStore } from "@/shared/auth/authStore";
import { permissionTo, useMe } from "@/shared/auth/permissions";
import { capitalized } from "@/shared/format/capitalized";
import type { Identified, RecordDefinition } from "@/shared/records";
import { viewPath } from "@/shared/records/paths";
import { listPath } from "@/shared/records/useRecords";
import { TruckIcon } from "@/shared/ui";
import { detailOf, type Entry, type Group, RANK, ranked, rankOf } from "./ranking";
import { findSamples } from "./samples";
import { screensOpenTo } from "./screens";

/**
 * The palette's results for a query; without one, the actions of the screen and the records seen last. `isSure` says that
 * no pending result can rank higher than the first one; `failure` is the error of the search for records.
 */
export function usePaletteGroups(kinds: readonly RecordDefinition[], typed: string) {
  const { permissions } = useMe();
  const readable = useMemo(
    () => kinds.filter(({ api }) => permissions.includes(permissionTo("read", api))),
    [kinds, permissions],
  );
  // A snapshot of the moment the palette opens, so that the list does not change under the user.
  const [ofScreen] = useState(() => offeredActions("screen").map(actionEntry));
  const [ofFrame] = useState(() => offeredActions("frame").map(actionEntry));
  const [recent] = useState(useRecentEntries(readable));
  const { groups: records, isSearching, failure } = useFoundRecords(readable, typed);

  return useMemo(() => {
    const named = new Map(records.flatMap(({ items }) => items.map((item) => [item.key, item])));
    const all = [
      { heading: "On this screen", items: ofScreen },
      { heading: "Last viewed", items: recent.map((item) => named.get(item.key) ?? item) },
      ...records,
      ...(typed.trim().length < SHORTEST ? [] : findSamples(typed, MOST)),
      { heading: "Go to", items: screensOpenTo(permissions, kinds) },
      { heading: "Everywhere", items: ofFrame },
    ];
    const groups = withoutDuplicates(ranked(all, typed));
    const best = groups[0]?.items[0];
    return {
      groups,
      isSearching,
      failure,
      isSure: !isSearching || (best !== undefined && rankOf(best, typed) <= RANK.beginning),
    };
  }, [ofScreen, recent, records, permissions, kinds, ofFrame, typed, isSearching, failure]);
}

/** Delay in milliseconds before a search, because the server logs each result as seen. */
const PAUSE = 200;
/** The minimum length of a query, because a single letter finds almost all records. */
const SHORTEST = 2;
/** The maximum number of results of each kind. */
const MOST = 5;

interface Answer {
  query: string;
  groups: readonly Group[];
  failure: unknown;
}

const NOTHING: Answer = { query: "", groups: [], failure: undefined };

/**
 * The records that the server finds; while it searches, the former results that match. Results are neither cached nor
 * refreshed, because the server logs each as an access to personal data.
 * @param kinds the kinds that the user may read.
 */
function useFoundRecords(kinds: readonly RecordDefinition[], typed: string) {
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
  const groups = answer.groups.map(({ heading, items }) => ({
    heading,
    items: items.map((item) => ({ ...item, isFound: false })),
  }));
  return { groups, failure: undefined, isSearching: true };
}

async function search(definition: RecordDefinition, query: string, signal: AbortSignal): Promise<Group> {
  const { noun, path } = definition.api;
  const asked = new URLSearchParams({ q: query, page: "0", size: String(MOST) });
  const { data } = await apiClient.get<{ content: Identified[] }>(`${path}?${asked}`, { signal });
  return {
    heading: `${capitalized(noun)}s`,
    items: data.content.map((wire) => ({ ...recordEntry(definition, wire, query), isFound: true })),
  };
}

/**
 * The records seen last, by name if a cached response has it and by id otherwise: requesting the names would be logged as
 * further accesses.
 */
function useRecentEntries(kinds: readonly RecordDefinition[]): readonly Entry[] {
  const { cache } = useSWRConfig();
  const sub = useAuthStore(({ user }) => user?.sub);
  return recentRecords(sub).flatMap(({ kind, id }) => {
    const definition = kinds.find(({ api }) => api.noun === kind);
    if (definition === undefined) return [];
    const { api } = definition;
    const answerAt = (path: string) => (cache.get(path)?.data as ApiResponse<unknown> | undefined)?.data;
    const single = answerAt(`${api.path}/${encodeURIComponent(id)}`);
    const list = answerAt(listPath(api)) as { content: Identified[] } | undefined;
    const wire = single === undefined ? list?.content.find((one) => one.id === id) : api.unwrap(single);
    if (wire !== undefined) return [recordEntry(definition, wire, "")];
    return [{ ...placeOf(definition, id), title: id, detail: capitalized(api.noun) }];
  });
}

const ICONS: Readonly<Record<string, ReactElement>> = {
  driver: <IdNumber />,
  assignment: <SwapHorizontal />,
  trailer: <Axle />,
  horse: <TruckIcon />,
  location: <MapMarker />,
  subscription: <Notifications />,
};

/** @param query the matching field is shown as detail. */
function recordEntry(definition: RecordDefinition, wire: Identified, query: string): Entry {
  const { api, heading, searchFields, searched } = definition;
  const { id } = wire;
  const title = heading(api.toValues(wire), id, api.hiddenIn(wire)).title || id;
  const fields = searchFields(api.toRow(wire)).map((text, index) => ({
    label: searched[index]?.label ?? "",
    text,
  }));
  return {
    ...placeOf(definition, id),
    title,
    words: fields.map(({ text }) => text),
    detail: detailOf({ title, id }, fields, query),
  };
}

function placeOf({ api, paths }: RecordDefinition, id: string) {
  const to = viewPath(paths, id);
  return { key: to, to, id, icon: ICONS[api.noun] ?? <Document /> };
}

function actionEntry({ text, icon, to, onSelect }: ScreenAction): Entry {
  return { key: to ?? `do ${text}`, title: text, icon, to, act: onSelect };
}

/** The groups without entries that an earlier group has. */
function withoutDuplicates(groups: readonly Group[]): readonly Group[] {
  const seen = new Set<string>();
  return groups
    .map((group) => ({ ...group, items: group.items.filter(({ key }) => !seen.has(key) && seen.add(key)) }))
    .filter(({ items }) => items.length > 0);
}
