import { useEffect } from "react";
import { useAuthStore } from "@/shared/auth/authStore";

/** A viewed record: the log's name of its kind, and its id. */
interface RecentRecord {
  kind: string;
  id: string;
}

const MOST = 10;

/**
 * A user's recently viewed records, latest first, kept in local storage until they sign out. Without names: these are
 * personal data, which an erasure could not remove from a browser.
 */
export function recentRecords(sub: string | undefined): readonly RecentRecord[] {
  if (sub === undefined) return [];
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(keyOf(sub)) ?? "[]");
    return Array.isArray(kept) ? kept.filter(isRecentRecord) : [];
  } catch {
    return []; // Not a list of this product.
  }
}

/** Add a record to the signed-in user's recent records, once it has loaded. */
export function useRecordVisit(kind: string, id: string, isLoaded: boolean): void {
  const sub = useAuthStore(({ user }) => user?.sub);
  useEffect(() => {
    if (isLoaded && sub !== undefined) keep(sub, [{ kind, id }, ...without(sub, kind, id)].slice(0, MOST));
  }, [sub, kind, id, isLoaded]);
}

/** Remove a deleted record from the recent records. */
export function removeRecentRecord(kind: string, id: string): void {
  const sub = useAuthStore.getState().user?.sub;
  if (sub !== undefined) keep(sub, without(sub, kind, id));
}

/** Clear the recent records on sign-out, because the browser may be shared. */
export function clearRecentRecords(): void {
  const sub = useAuthStore.getState().user?.sub;
  if (sub !== undefined) localStorage.removeItem(keyOf(sub));
}

function without(sub: string, kind: string, id: string): readonly RecentRecord[] {
  return recentRecords(sub).filter((one) => one.kind !== kind || one.id !== id);
}

function keep(sub: string, all: readonly RecentRecord[]): void {
  try {
    localStorage.setItem(keyOf(sub), JSON.stringify(all));
  } catch {
    // Storage is full or disabled; recent records are a convenience only.
  }
}

function keyOf(sub: string): string {
  return `looked-at:${sub}`;
}

function isRecentRecord(item: unknown): item is RecentRecord {
  const { kind, id } = (item ?? {}) as Partial<RecentRecord>;
  return typeof kind === "string" && typeof id === "string";
}
