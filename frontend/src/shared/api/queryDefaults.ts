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
  compare: isSameAnswer,
  isPaused: () => useAuthStore.getState().accessToken === null,
};

/** Overrides while an answer is stale. */
export const WHILE_STALE: SWRConfiguration = { refreshInterval: 5_000 };

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

/** Compare answers by their ETags: comparing 10,000 records is slow. */
function isSameAnswer(a: ApiResponse<unknown> | undefined, b: ApiResponse<unknown> | undefined): boolean {
  if (a === b) return true;
  return a?.etag !== undefined && a.etag === b?.etag && a.stale === b.stale;
}
