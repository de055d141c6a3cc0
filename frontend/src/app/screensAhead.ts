import { useEffect } from "react";
import type { RouteObject } from "react-router";
import { useAuthStore } from "@/shared/auth/authStore";

/** Delay in milliseconds, so that the first screen loads undisturbed. */
const HEAD_START = 4_000;

type Load = () => Promise<unknown>;

const whenIdle = window.requestIdleCallback ?? ((callback: () => void) => setTimeout(callback, 200));

/**
 * Preloads the code of all screens for a signed-in user, one at a time when the browser is idle, so that they open at once and
 * offline. Browsers that save data preload nothing.
 * @param more constant: loaders that run after the screens.
 */
export function useScreensAhead(routes: readonly RouteObject[], more: readonly Load[]): void {
  const isSignedIn = useAuthStore(({ accessToken }) => accessToken !== null);

  useEffect(() => {
    const savesData = "connection" in navigator && Object(navigator.connection).saveData === true;
    if (!isSignedIn || savesData) return;
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
      // Vite requests each style sheet only once.
      for (const link of document.querySelectorAll<HTMLLinkElement>('link[rel="stylesheet"]')) {
        if (link.sheet === null) link.replaceWith(link.cloneNode());
      }
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

function lazyScreens(routes: readonly RouteObject[]): Load[] {
  return routes.flatMap(({ lazy, children = [] }) => [
    ...(typeof lazy === "function" ? [lazy] : []),
    ...lazyScreens(children),
  ]);
}
