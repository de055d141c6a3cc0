import { type ReactNode, useCallback, useEffect } from "react";
import { clearAuth, storeSession, useAuthStore } from "@/shared/auth/authStore";
import { registerTokenRenewal, renewAccessToken, tokenExpiry } from "@/shared/auth/session";
import { useIdentity } from "./useIdentity";
import { onSignOutElsewhere } from "./useSignIn";

/** Errors of the identity provider that require a new sign-in. */
const SESSION_IS_OVER = new Set([
  "login_required",
  "consent_required",
  "interaction_required",
  "account_selection_required",
  "invalid_grant",
  "missing_refresh_token",
]);

/**
 * Synchronises `auth-storage` with the identity client: fetches tokens silently, renews them before they expire, and clears
 * them when the session ends.
 */
export function SessionKeeper({ children }: { children: ReactNode }) {
  const { isLoading, user, tokens, forget } = useIdentity();
  const isAuthenticated = user !== undefined;

  const leaveLocally = useCallback(async () => {
    clearAuth();
    await forget();
  }, [forget]);

  const fetchTokens = useCallback(
    async (isRenewed: boolean) => {
      try {
        const { accessToken, user } = await tokens(isRenewed);
        const { sub, name, email, picture, idToken } = user;
        storeSession({ id: sub, sub, name, email, picture }, accessToken, idToken);
        return accessToken;
      } catch (error) {
        // The `error` member of an OAuth error of any SDK class.
        const code = error instanceof Error && "error" in error ? String(error.error) : "";
        if (SESSION_IS_OVER.has(code)) await leaveLocally();
        else {
          // Possibly offline: the user stays signed in, and the renewal is retried.
          console.error("The tokens could not be fetched.", error);
          useAuthStore.setState({ isLoading: false, isAuthenticated: true });
        }
        return null;
      }
    },
    [tokens, leaveLocally],
  );

  useEffect(() => {
    if (isLoading) return;
    if (!isAuthenticated) {
      clearAuth();
      return;
    }
    const unregister = registerTokenRenewal(() => fetchTokens(true));
    void fetchTokens(false);
    return unregister;
  }, [isLoading, isAuthenticated, fetchTokens]);

  useTimelyRenewal();

  useEffect(
    () =>
      onSignOutElsewhere(async () => {
        await leaveLocally();
        window.location.reload(); // Removes all data from the page.
      }),
    [leaveLocally],
  );

  return children;
}

/** Milliseconds before expiry at which a token is renewed; the identity clients' margin. */
const MARGIN = 60_000;

/** Minimum delay before a renewal, and between attempts, in milliseconds. */
const MIN_DELAY = 30_000;

/** The maximum delay of a timer. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** Renews the access token shortly before it expires, also after sleep or a lost connection. */
export function useTimelyRenewal(): void {
  const isAuthenticated = useAuthStore((state) => state.isAuthenticated && !state.isLoading);
  const accessToken = useAuthStore((state) => state.accessToken);

  useEffect(() => {
    if (!isAuthenticated) return;
    const dueAt = ((accessToken === null ? null : tokenExpiry(accessToken)) ?? 0) - MARGIN;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isStopped = false;

    const schedule = () => {
      const wait = Math.min(Math.max(dueAt - Date.now(), MIN_DELAY), LONGEST_TIMER);
      timer = setTimeout(async () => {
        const renewed = await renewAccessToken();
        if (renewed === null && !isStopped) schedule(); // A renewed token restarts this effect.
      }, wait);
    };
    const onWake = () => {
      if (document.visibilityState === "visible" && Date.now() >= dueAt) void renewAccessToken();
    };

    schedule();
    document.addEventListener("visibilitychange", onWake);
    window.addEventListener("online", onWake);
    return () => {
      isStopped = true;
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", onWake);
      window.removeEventListener("online", onWake);
    };
  }, [isAuthenticated, accessToken]);
}
