import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useSWRConfig } from "swr";
import { apiClient } from "@/shared/api/client";
import type { Page } from "@/shared/api/useApiPages";
import { useApiQuery } from "@/shared/api/useApiQuery";

/** How many parts that were cut short are read by themselves before the reader is asked. */
const PARTS_AT_ONCE = 4;
/** Within so many pixels of the top, what has come may push the rest down. */
const TOP = 8;

export interface NewestFirst<Item> {
  /** What is to be shown; of an earlier path until the asked one's is there, undefined before the first. */
  stretch: Stretch<Item> | undefined;
  /** The stretch is what was asked for. */
  isCurrent: boolean;
  /** What has come and is held back, so that nothing moves under the reader. */
  arrived: Arrivals<Item>;
  showArrived: () => void;
  /** Looks further back. */
  searchOn: () => void;
  isSearching: boolean;
  /** Why the newest could not be read. */
  error: unknown;
  /** Why looking further back failed. */
  searchError: unknown;
  /** Reads the newest again. */
  retry: () => void;
}

/**
 * A long list of the API, read part by part from the newest entry back, and kept fresh at the top.
 * @param path with all parameters but `limit` and `cursor`.
 * @param positionOf constant: an entry's place; later entries have higher ones, and no entry ever changes.
 */
export function useNewestFirst<Item>(path: string, positionOf: (item: Item) => number): NewestFirst<Item> {
  const newestPath = `${path}&limit=${PART_SIZE}`;
  const { data: newest, error } = useApiQuery<Page<Item>>(newestPath);
  const { mutate } = useSWRConfig();
  const [stretch, setStretch] = useState<Stretch<Item>>();
  const search = useSearch(path, setStretch);
  const isCurrent = stretch?.path === path;

  const { searchOn } = search;
  useEffect(() => {
    if (newest === undefined || isCurrent) return;
    const first = begin(path, newest, positionOf);
    setStretch(first);
    if (first.isCutShort) searchOn(first, first.items.length);
  }, [newest, isCurrent, path, positionOf, searchOn]);

  const arrived = useMemo(() => {
    if (!isCurrent || stretch === undefined || newest === undefined) return { items: [], hasGap: false };
    return arrivals(stretch, newest, positionOf);
  }, [isCurrent, stretch, newest, positionOf]);

  const showArrived = useCallback(() => {
    if (newest === undefined) return;
    if (arrived.hasGap) setStretch(begin(path, newest, positionOf));
    else setStretch((shown) => shown && prepend(shown, arrived.items, positionOf));
  }, [newest, arrived, path, positionOf]);

  const isFirst = stretch?.items.length === 0;
  useEffect(() => {
    const isUnseen = isFirst || window.scrollY <= TOP;
    if (arrived.items.length > 0 && !arrived.hasGap && isUnseen) showArrived();
  }, [arrived, isFirst, showArrived]);

  return {
    stretch,
    isCurrent,
    arrived,
    showArrived,
    searchOn: () => stretch && searchOn(stretch),
    isSearching: search.isSearching,
    error,
    searchError: search.error,
    retry: () => void mutate(newestPath),
  };
}

/** Reads the parts after a stretch; of one path at a time. */
function useSearch<Item>(
  path: string,
  setStretch: (change: (shown: Stretch<Item> | undefined) => Stretch<Item> | undefined) => void,
) {
  const [isSearching, setSearching] = useState(false);
  const [error, setError] = useState<unknown>();
  const underWay = useRef<AbortController | null>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: what was asked for another path is not wanted any more
  useEffect(() => {
    return () => {
      underWay.current?.abort();
      underWay.current = null;
      setSearching(false);
      setError(undefined);
    };
  }, [path]);

  const searchOn = useCallback(
    async (from: Stretch<Item>, alreadyFound = 0) => {
      if (underWay.current !== null || from.next === null) return;
      const controller = new AbortController();
      underWay.current = controller;
      setSearching(true);
      setError(undefined);
      try {
        let cursor: string | null = from.next;
        let found = alreadyFound;
        for (let parts = 0; parts < PARTS_AT_ONCE && cursor !== null && found < PART_SIZE; parts += 1) {
          const before: string = cursor;
          const part = await readPage<Item>(from.path, before, controller.signal);
          if (controller.signal.aborted) return;
          setStretch((shown) =>
            shown?.path === from.path && shown.next === before ? append(shown, part) : shown,
          );
          cursor = part.next;
          found += part.content.length;
          if (!isCutShort(part)) break;
        }
      } catch (reason) {
        if (!controller.signal.aborted) setError(reason);
      } finally {
        if (underWay.current === controller) {
          underWay.current = null;
          setSearching(false);
        }
      }
    },
    [setStretch],
  );
  return { searchOn, isSearching, error };
}

async function readPage<Item>(path: string, cursor: string, signal: AbortSignal): Promise<Page<Item>> {
  const cursorParam = encodeURIComponent(cursor);
  const { data } = await apiClient.get<Page<Item>>(`${path}&limit=${PART_SIZE}&cursor=${cursorParam}`, {
    signal,
  });
  return data;
}

/** What of a list is on the screen: a stretch without gaps, from its newest entry back. */
export interface Stretch<Item> {
  /** What was asked for. */
  path: string;
  items: readonly Item[];
  /** Position up to which nothing is missing. */
  top: number;
  next: string | null;
  /** The last part had room for more: looking further took too long. */
  isCutShort: boolean;
}

/** What has come since a stretch was loaded. */
interface Arrivals<Item> {
  items: readonly Item[];
  /** More than one part has come: between these and the stretch some are missing. */
  hasGap: boolean;
}

type PositionOf<Item> = (item: Item) => number;

/** How many entries a part has, unless it is the last or cut short. */
export const PART_SIZE = 50;

export function begin<Item>(path: string, part: Page<Item>, positionOf: PositionOf<Item>): Stretch<Item> {
  const [newest] = part.content;
  const top = newest === undefined ? Number(part.next ?? 0) : positionOf(newest);
  return { path, items: part.content, top, next: part.next, isCutShort: isCutShort(part) };
}

/** Adds the part that a stretch's `next` led to. */
export function append<Item>(stretch: Stretch<Item>, part: Page<Item>): Stretch<Item> {
  const items = [...stretch.items, ...part.content];
  return { ...stretch, items, next: part.next, isCutShort: isCutShort(part) };
}

/** What the newest part has that a stretch has not. */
export function arrivals<Item>(
  { top }: Stretch<Item>,
  newest: Page<Item>,
  positionOf: PositionOf<Item>,
): Arrivals<Item> {
  const items = newest.content.filter((item) => positionOf(item) > top);
  return { items, hasGap: items.length > 0 && newest.next !== null && Number(newest.next) > top + 1 };
}

/** Puts what has come, without a gap, before a stretch. */
export function prepend<Item>(
  stretch: Stretch<Item>,
  items: readonly Item[],
  positionOf: PositionOf<Item>,
): Stretch<Item> {
  const [newest] = items;
  const top = newest === undefined ? stretch.top : positionOf(newest);
  return { ...stretch, items: [...items, ...stretch.items], top };
}

function isCutShort({ content, next }: Page<unknown>): boolean {
  return next !== null && content.length < PART_SIZE;
}
