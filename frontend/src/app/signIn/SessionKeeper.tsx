import { type IdToken, useAuth0 } from "@auth0/auth0-react";
import { type ReactNode, useCallback, useEffect } from "react";
import { type AuthUser, clearAuth, storeSession, useAuthStore } from "@/shared/auth/authStore";
import { registerTokenRenewal, renewAccessToken, tokenExpiry } from "@/shared/auth/session";
import { onSignOutElsewhere } from "./otherTabs";

/** Answers of the identity provider that only a new sign-in can mend. */
const SESSION_IS_OVER = new Set([
  "login_required",
  "consent_required",
  "interaction_required",
  "account_selection_required",
  "invalid_grant",
  "missing_refresh_token",
]);

/**
 * Keeps `auth-storage` in step with the identity SDK: tokens are fetched silently and stored, renewed
 * before they expire, and cleared when the session is over.
 */
export function SessionKeeper({ children }: { children: ReactNode }) {
  const { isLoading, isAuthenticated, getAccessTokenSilently, getIdTokenClaims, logout } = useAuth0();

  const leaveLocally = useCallback(async () => {
    clearAuth();
    await logout({ openUrl: false });
  }, [logout]);

  const fetchTokens = useCallback(
    async (cacheMode: "on" | "off") => {
      try {
        const accessToken = await getAccessTokenSilently({ cacheMode });
        const claims = await getIdTokenClaims();
        if (!accessToken || !claims) throw new Error("The identity provider sent no tokens.");
        storeSession(profileOf(claims), accessToken, claims.__raw);
        return accessToken;
      } catch (error) {
        if (SESSION_IS_OVER.has(errorCode(error))) await leaveLocally();
        else {
          // Perhaps offline: signed in all the same; the next attempt comes by itself.
          console.error("The tokens could not be fetched.", error);
          useAuthStore.setState({ isLoading: false, isAuthenticated: true });
        }
        return null;
      }
    },
    [getAccessTokenSilently, getIdTokenClaims, leaveLocally],
  );

  useEffect(() => {
    if (isLoading) return;
    if (!isAuthenticated) {
      clearAuth();
      return;
    }
    const unregister = registerTokenRenewal(() => fetchTokens("off"));
    void fetchTokens("on");
    return unregister;
  }, [isLoading, isAuthenticated, fetchTokens]);

  useTimelyRenewal();

  useEffect(
    () =>
      onSignOutElsewhere(async () => {
        await leaveLocally();
        window.location.reload(); // nothing of what was open stays behind
      }),
    [leaveLocally],
  );

  return children;
}

/** The `error` member of an OAuth error, whichever of the SDK's classes carries it. */
function errorCode(error: unknown): string {
  return error instanceof Error && "error" in error ? String(error.error) : "";
}

function profileOf({ sub, name, email, picture }: IdToken): AuthUser {
  return { id: sub, sub, name, email, picture };
}

/** How long before its expiry a token is renewed, in milliseconds: the identity SDK's own margin. */
const MARGIN = 60_000;

/** The shortest wait before renewing: also what a failed renewal waits before the next attempt. */
const CALM = 30_000;

/** Longer timers overflow; by then the page has long woken up for another reason. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** Renews the access token shortly before it expires, also after the machine has slept or been offline. */
export function useTimelyRenewal(): void {
  const isAuthenticated = useAuthStore((state) => state.isAuthenticated && !state.isLoading);
  const accessToken = useAuthStore((state) => state.accessToken);

  useEffect(() => {
    if (!isAuthenticated) return;
    const dueAt = ((accessToken === null ? null : tokenExpiry(accessToken)) ?? 0) - MARGIN;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isStopped = false;

    const schedule = () => {
      const wait = Math.min(Math.max(dueAt - Date.now(), CALM), LONGEST_TIMER);
      timer = setTimeout(async () => {
        const renewed = await renewAccessToken();
        if (renewed === null && !isStopped) schedule(); // a renewed token starts this effect anew
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
