import { useEffect } from "react";
import { create } from "zustand";
import { type ApiResponse, isStaleError } from "./client";

/** How many answers on the screen are stale. */
const useStaleStore = create(() => ({ count: 0 }));

/** Whether the server had not caught up with its latest changes when it answered. */
export function isStale(answer: ApiResponse<unknown> | undefined, error: unknown): boolean {
  return answer?.stale === true || isStaleError(error);
}

/** Counts an answer while it is shown and stale. */
export function useStaleMark(stale: boolean): void {
  useEffect(() => {
    if (!stale) return;
    useStaleStore.setState(({ count }) => ({ count: count + 1 }));
    return () => useStaleStore.setState(({ count }) => ({ count: count - 1 }));
  }, [stale]);
}

/** Whether anything on the screen is stale. */
export function useAnythingStale(): boolean {
  return useStaleStore(({ count }) => count > 0);
}
