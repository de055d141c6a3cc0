import type { Page } from "@/shared/api/useApiPages";

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
export interface Arrivals<Item> {
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

export function isCutShort({ content, next }: Page<unknown>): boolean {
  return next !== null && content.length < PART_SIZE;
}
