import { useEffect } from "react";
import { create } from "zustand";
import { ApiError, type ApiResponse } from "./client";

/** The number of stale answers on the screen. */
const useStaleStore = create(() => ({ count: 0 }));

/** Count an answer or error while it is shown, if the server sent it before it had caught up. */
export function useStaleMark(answer: Pick<ApiResponse<unknown>, "stale"> | undefined, error: unknown): void {
  const stale = answer?.stale === true || (error instanceof ApiError && error.stale);
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
