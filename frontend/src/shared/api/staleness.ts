import { useEffect } from "react";
import { create } from "zustand";
import { type ApiResponse, isStaleError } from "./client";

/** The number of stale answers on the screen. */
const useStaleStore = create(() => ({ count: 0 }));

/** Return whether the server answered before it had caught up. */
export function isStale(answer: ApiResponse<unknown> | undefined, error: unknown): boolean {
  return answer?.stale === true || isStaleError(error);
}

/** Count an answer while it is shown and stale. */
export function useStaleMark(stale: boolean): void {
  useEffect(() => {
    if (!stale) return;
    useStaleStore.setState(({ count }) => ({ count: count + 1 }));
    return () => useStaleStore.setState(({ count }) => ({ count: count - 1 }));
  }, [stale]);
}

/** Return whether anything on the screen is stale. */
export function useAnythingStale(): boolean {
  return useStaleStore(({ count }) => count > 0);
}
