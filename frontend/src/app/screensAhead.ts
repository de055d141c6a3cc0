import { useEffect } from "react";
import type { RouteObject } from "react-router";
import { useAuthStore } from "@/shared/auth/authStore";

/** How long the first screen has the line and the processor to itself, in milliseconds. */
const HEAD_START = 4_000;

type Load = () => Promise<unknown>;

const NOTHING_MORE: readonly Load[] = [];

const whenIdle = window.requestIdleCallback ?? ((callback: () => void) => setTimeout(callback, 200));

/**
 * Fetches the code of all screens for whoever is signed in, one after the other while there is nothing else to do:
 * so they open at once, and also when the connection has gone. Not for those who have asked to save data.
 * @param more what is loaded after them: panels above the screens, and what screens show; constant.
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
        isUnderWay = false; // the connection has gone in the middle: this one again when it is back
      }
    };
    const resume = () => {
      askAgainForStyles();
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

/** Vite asks for a style sheet once, and opens the screen without it the next time. */
function askAgainForStyles(): void {
  for (const link of document.querySelectorAll<HTMLLinkElement>('link[rel="stylesheet"]')) {
    if (link.sheet === null) link.replaceWith(link.cloneNode());
  }
}
