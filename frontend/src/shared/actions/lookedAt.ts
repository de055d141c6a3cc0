import { useEffect } from "react";
import { useAuthStore } from "@/shared/auth/authStore";

/** A record that somebody has looked at: what the log calls its kind, and its id. */
export interface LookedAt {
  kind: string;
  id: string;
}

const MOST = 10;

/**
 * What somebody looked at last, the latest first, as this browser keeps it for them until they sign out. No names are in
 * it: these are personal data, and a browser's storage is no place to be forgotten from.
 */
export function lookedAt(sub: string | undefined): readonly LookedAt[] {
  if (sub === undefined) return [];
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(keyOf(sub)) ?? "[]");
    return Array.isArray(kept) ? kept.filter(isLookedAt) : [];
  } catch {
    return []; // nobody's list, whoever wrote it
  }
}

/** Keeps that whoever is signed in looks at a record; not before it is there to be looked at. */
export function useLookingAt(kind: string, id: string, isThere: boolean): void {
  const sub = useAuthStore(({ user }) => user?.sub);
  useEffect(() => {
    if (isThere && sub !== undefined) keep(sub, [{ kind, id }, ...without(sub, kind, id)].slice(0, MOST));
  }, [sub, kind, id, isThere]);
}

/** A record is gone: it is not to be looked at again. */
export function dropLookedAt(kind: string, id: string): void {
  const sub = useAuthStore.getState().user?.sub;
  if (sub !== undefined) keep(sub, without(sub, kind, id));
}

/** Whoever is signed in leaves: another may sit here next. */
export function forgetLookedAt(): void {
  const sub = useAuthStore.getState().user?.sub;
  if (sub !== undefined) localStorage.removeItem(keyOf(sub));
}

function without(sub: string, kind: string, id: string): readonly LookedAt[] {
  return lookedAt(sub).filter((one) => one.kind !== kind || one.id !== id);
}

function keep(sub: string, all: readonly LookedAt[]): void {
  try {
    localStorage.setItem(keyOf(sub), JSON.stringify(all));
  } catch {
    // The browser keeps nothing, or no more: a convenience less.
  }
}

function keyOf(sub: string): string {
  return `looked-at:${sub}`;
}

function isLookedAt(item: unknown): item is LookedAt {
  const { kind, id } = (item ?? {}) as Partial<LookedAt>;
  return typeof kind === "string" && typeof id === "string";
}
