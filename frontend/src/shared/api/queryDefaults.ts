import type { SWRConfiguration } from "swr";
import { useAuthStore } from "@/shared/auth/authStore";
import { type ApiResponse, RequestError } from "./client";
import { ApiError } from "./errors";

/** How often an open screen looks for changes made elsewhere, in milliseconds; not while it is hidden. */
const CALM_INTERVAL = 30_000;

/**
 * How queries are kept fresh: at the window's focus, when the network returns, and at a calm interval. An
 * answer that says no is final until then; only what may pass by itself is tried again in between. Between two
 * sessions nothing is asked, and nothing has failed: what is open waits for the next one.
 */
export const queryDefaults: SWRConfiguration = {
  refreshInterval: CALM_INTERVAL,
  shouldRetryOnError: mayPass,
  compare: isSameAnswer,
  isPaused: () => useAuthStore.getState().accessToken === null,
};

/** What goes before that while the screen shows what the server has not brought up to date yet. */
export const WHILE_STALE: SWRConfiguration = { refreshInterval: 5_000 };

/** How it is kept fresh where reading it is recorded: not at all, but when somebody asks for it. */
export const UNASKED_NEVER: SWRConfiguration = {
  refreshInterval: 0,
  revalidateOnFocus: false,
  revalidateOnReconnect: false,
};

function mayPass(error: unknown): boolean {
  if (!(error instanceof ApiError)) return error instanceof RequestError;
  return error.stale || error.status >= 500 || error.status === 429;
}

/** Whether two answers show the same; by their ETags, because comparing 10,000 records takes its time. */
function isSameAnswer(a: ApiResponse<unknown> | undefined, b: ApiResponse<unknown> | undefined): boolean {
  if (a === b) return true;
  return a?.etag !== undefined && a.etag === b?.etag && a.stale === b.stale;
}
