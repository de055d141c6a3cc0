import { useEffect } from "react";
import { useAuthStore } from "@/shared/auth/authStore";
import { renewAccessToken } from "@/shared/auth/session";
import { tokenExpiry } from "@/shared/auth/token";

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
