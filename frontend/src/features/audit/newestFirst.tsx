import { Button } from "@blueprintjs/core";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useSWRConfig } from "swr";
import { apiClient } from "@/shared/api/client";
import type { Page } from "@/shared/api/useApiPages";
import { useApiQuery } from "@/shared/api/useApiQuery";
import { grouped } from "@/shared/format/counted";
import styles from "./trail.module.css";

/** The number of short parts that are read without asking the user. */
const PARTS_AT_ONCE = 4;
/** Distance in pixels from the top within which new entries are inserted at once. */
const TOP = 8;

export type NewestFirst<Item> = ReturnType<typeof useNewestFirst<Item>>;

/**
 * A long list of the API, read in parts from the newest entry back and polled for new entries.
 * @param path without the parameters `limit` and `cursor`.
 * @param positionOf constant: an entry's position. Positions grow; entries never change.
 */
export function useNewestFirst<Item>(path: string, positionOf: (item: Item) => number) {
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

  const arrived = useMemo((): Arrivals<Item> => {
    if (!isCurrent || stretch === undefined || newest === undefined) return { items: [], hasGap: false };
    const items = newest.content.filter((item) => positionOf(item) > stretch.top);
    const hasGap = items.length > 0 && newest.next !== null && Number(newest.next) > stretch.top + 1;
    return { items, hasGap };
  }, [isCurrent, stretch, newest, positionOf]);

  const showArrived = useCallback(() => {
    const [first] = arrived.items;
    if (newest === undefined || first === undefined) return;
    setStretch((shown) =>
      shown === undefined || arrived.hasGap
        ? begin(path, newest, positionOf)
        : { ...shown, items: [...arrived.items, ...shown.items], top: positionOf(first) },
    );
  }, [newest, arrived, path, positionOf]);

  const isEmpty = stretch?.items.length === 0;
  useEffect(() => {
    const isUnseen = isEmpty || window.scrollY <= TOP;
    if (arrived.items.length > 0 && !arrived.hasGap && isUnseen) showArrived();
  }, [arrived, isEmpty, showArrived]);

  return {
    /** The entries shown: of the former path until the current one has loaded, undefined before the first response. */
    stretch,
    /** Whether the stretch is of the current path. */
    isCurrent,
    /** New entries not shown yet, so that the list does not move while it is read. */
    arrived,
    showArrived,
    /** Load earlier entries. */
    searchOn: () => stretch && searchOn(stretch),
    isSearching: search.isSearching,
    /** The error of reading the newest entries. */
    error,
    /** The error of loading earlier entries. */
    searchError: search.error,
    /** Read the newest entries again. */
    retry: () => void mutate(newestPath),
  };
}

/** Reads the parts after a stretch, of one path at a time. */
function useSearch<Item>(
  path: string,
  setStretch: (change: (shown: Stretch<Item> | undefined) => Stretch<Item> | undefined) => void,
) {
  const [isSearching, setSearching] = useState(false);
  const [error, setError] = useState<unknown>();
  const underWay = useRef<AbortController | null>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new path cancels the search of the former one
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
          const { data: part } = await apiClient.get<Page<Item>>(
            `${from.path}&limit=${PART_SIZE}&cursor=${encodeURIComponent(before)}`,
            { signal: controller.signal },
          );
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

/** The entries on screen, without gaps, from the newest back. */
export interface Stretch<Item> {
  path: string;
  items: readonly Item[];
  /** The highest position included. */
  top: number;
  next: string | null;
  /** Whether the server ended the last part early because the search took too long. */
  isCutShort: boolean;
}

interface Arrivals<Item> {
  items: readonly Item[];
  /** Whether entries between these and the stretch are missing. */
  hasGap: boolean;
}

type PositionOf<Item> = (item: Item) => number;

/** The number of entries of a full part. */
export const PART_SIZE = 50;

function begin<Item>(path: string, part: Page<Item>, positionOf: PositionOf<Item>): Stretch<Item> {
  const [newest] = part.content;
  const top = newest === undefined ? Number(part.next ?? 0) : positionOf(newest);
  return { path, items: part.content, top, next: part.next, isCutShort: isCutShort(part) };
}

/** Add the part at a stretch's `next`. */
function append<Item>(stretch: Stretch<Item>, part: Page<Item>): Stretch<Item> {
  const items = [...stretch.items, ...part.content];
  return { ...stretch, items, next: part.next, isCutShort: isCutShort(part) };
}

function isCutShort({ content, next }: Page<unknown>): boolean {
  return next !== null && content.length < PART_SIZE;
}

/** The foot of a list: how far back it was searched, and a button to continue. */
export function FurtherBack<Item>({ trail }: { trail: NewestFirst<Item> }) {
  const { stretch, isCurrent, isSearching, searchError, searchOn } = trail;
  const next = isCurrent ? stretch?.next : undefined;
  const isPressed = useRef(false);

  useEffect(() => {
    // The pressed button disappears with the last part, so the list takes the focus.
    if (next === null && isPressed.current) focusResults();
    if (next === null) isPressed.current = false;
  }, [next]);

  if (stretch === undefined || next === undefined || next === null) return null;
  const { items, isCutShort } = stretch;
  const reached = `Searched back to event ${grouped.format(Number(next))} of the log.`;
  const progress = isCutShort ? `${reached} Searching...` : "Loading more...";
  const found = items.length === 0 ? "No matches so far." : "There may be more.";
  const action = isCutShort ? "Search further back" : "Load more";
  return (
    <div className={styles.foot}>
      <p className={`fl-remark ${styles.reached}`} role="status">
        {isSearching ? progress : isCutShort && `${reached} ${found}`}
      </p>
      {searchError !== undefined && (
        <p className="fl-remark fl-danger" role="alert">
          Earlier entries could not be loaded.
        </p>
      )}
      <Button
        text={searchError === undefined ? action : "Try Again"}
        // Not `disabled`, which would lose the focus.
        aria-disabled={isSearching}
        aria-busy={isSearching}
        onClick={() => {
          isPressed.current = true;
          searchOn();
        }}
      />
    </div>
  );
}

/** Attributes of the list that {@link focusResults} focuses. */
export const resultsMark = { "data-audit-results": true, tabIndex: -1 } as const;

/** Focus the list, when the focused control is about to disappear. */
export function focusResults(): void {
  document.querySelector<HTMLElement>("[data-audit-results]")?.focus({ preventScroll: true });
}
