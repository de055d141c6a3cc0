import type { SWRConfiguration } from "swr";
import { useAuthStore } from "@/shared/auth/authStore";
import { type ApiResponse, RequestError } from "./client";
import { ApiError } from "./errors";

/**
 * Queries are revalidated at the window's focus, when the network returns, and at an interval (in milliseconds) while
 * the page is visible. Only transient errors are retried sooner. Without a session all queries are paused.
 */
export const queryDefaults: SWRConfiguration = {
  refreshInterval: 30_000,
  shouldRetryOnError: isTransient,
  // Comparing 10,000 records is slow.
  compare: (a: ApiResponse<unknown> | undefined, b: ApiResponse<unknown> | undefined) =>
    a === b || (a?.etag !== undefined && a.etag === b?.etag && a.stale === b.stale),
  isPaused: () => useAuthStore.getState().accessToken === null,
};

/** Overrides for queries that the server records as accesses: they are sent only on request. */
export const UNASKED_NEVER: SWRConfiguration = {
  refreshInterval: 0,
  revalidateOnFocus: false,
  revalidateOnReconnect: false,
};

function isTransient(error: unknown): boolean {
  if (!(error instanceof ApiError)) return error instanceof RequestError;
  return error.stale || error.status >= 500 || error.status === 429;
}
