import { useEffect } from "react";
import type { RouteObject } from "react-router";
import { useAuthStore } from "@/shared/auth/authStore";

/** Delay in milliseconds, so that the first screen loads undisturbed. */
const HEAD_START = 4_000;

type Load = () => Promise<unknown>;

const NOTHING_MORE: readonly Load[] = [];

const whenIdle = window.requestIdleCallback ?? ((callback: () => void) => setTimeout(callback, 200));

/**
 * Preloads the code of all screens for a signed-in user, one at a time when the browser is idle, so that they open at once and
 * offline. Browsers that save data preload nothing.
 * @param more constant: loaders that run after the screens.
 */
export function useScreensAhead(routes: readonly RouteObject[], more: readonly Load[] = NOTHING_MORE): void {
  const isSignedIn = useAuthStore(({ accessToken }) => accessToken !== null);

  useEffect(() => {
    if (!isSignedIn || savesData()) return;
    const waiting = [...lazyScreens(routes), ...more];
    let isStopped = false;
    let isUnderWay = false;
    const next = async () => {
      const load = waiting[0];
      isUnderWay = load !== undefined && !isStopped && navigator.onLine;
      if (!isUnderWay) return;
      try {
        await load?.();
        waiting.shift();
        whenIdle(next);
      } catch {
        isUnderWay = false; // Connection lost: retried when it is back.
      }
    };
    const resume = () => {
      retryStyleSheets();
      if (!isUnderWay) void next();
    };
    const timer = setTimeout(() => whenIdle(next), HEAD_START);
    window.addEventListener("online", resume);
    return () => {
      isStopped = true;
      clearTimeout(timer);
      window.removeEventListener("online", resume);
    };
  }, [isSignedIn, routes, more]);
}

function savesData(): boolean {
  return "connection" in navigator && (navigator.connection as { saveData?: boolean }).saveData === true;
}

function lazyScreens(routes: readonly RouteObject[]): Load[] {
  return routes.flatMap(({ lazy, children = [] }) => [
    ...(typeof lazy === "function" ? [lazy] : []),
    ...lazyScreens(children),
  ]);
}

/** Retry failed style sheets, because Vite requests each only once. */
function retryStyleSheets(): void {
  for (const link of document.querySelectorAll<HTMLLinkElement>('link[rel="stylesheet"]')) {
    if (link.sheet === null) link.replaceWith(link.cloneNode());
  }
}
