import { isWithin, type Offset } from "./view";

/** Items so close to each other that they are shown as one. */
export interface Cluster<Item> {
  items: readonly Item[];
  /** The position of the first item. */
  at: Offset;
}

/** In pixels. */
const NEAR = 26;

/** Cluster the items in view that would overlap, in the given order. */
export function clustersOf<Item>(
  items: readonly Item[],
  offsetOf: (item: Item) => Offset,
  width: number,
): readonly Cluster<Item>[] {
  const found: { items: Item[]; at: Offset }[] = [];
  for (const item of items) {
    const at = offsetOf(item);
    if (!isWithin(at, width, 0)) continue;
    const near = found.find(({ at: [x, y] }) => Math.hypot(at[0] - x, at[1] - y) < NEAR);
    if (near) near.items.push(item);
    else found.push({ items: [item], at });
  }
  return found;
}

/** The index of the nearest cluster in a direction, preferring straight ahead; -1 if there is none. */
export function nextIn(clusters: readonly Cluster<unknown>[], from: number, [toX, toY]: Offset): number {
  const [x = 0, y = 0] = clusters[from]?.at ?? [];
  const costs = clusters.map(({ at }) => {
    const [right, down] = [at[0] - x, at[1] - y];
    const ahead = right * toX + down * toY;
    const aside = Math.abs(right * toY) + Math.abs(down * toX);
    return ahead > aside / 4 && ahead > 0 ? ahead + 2 * aside : Number.POSITIVE_INFINITY;
  });
  const least = Math.min(...costs);
  return Number.isFinite(least) ? costs.indexOf(least) : -1;
}
