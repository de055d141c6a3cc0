import { useCallback, useState, useSyncExternalStore } from "react";
import { type Shortcut, useShortcut } from "@/shared/keys";

/** Below this width, in pixels, the sidebar is a drawer. */
const MOBILE_BREAKPOINT = 768;

export const SIDEBAR_KEYS: Shortcut = {
  keys: ["Control+B", "Meta+B"],
  does: "Open or close the sidebar",
  group: "Everywhere",
};

export interface SidebarState {
  isMobile: boolean;
  /** Full width instead of icons only, on wide screens. */
  isOpen: boolean;
  isDrawerOpen: boolean;
  toggle: () => void;
  closeDrawer: () => void;
}

/** The sidebar's state, stored in a cookie for seven days (spec, section 2). */
export function useSidebar(): SidebarState {
  const isMobile = useMediaQuery(`(max-width: ${MOBILE_BREAKPOINT - 0.02}px)`);
  const [isOpen, setOpen] = useState(readSidebarCookie);
  const [isDrawerOpen, setDrawerOpen] = useState(false);
  if (isDrawerOpen && !isMobile) setDrawerOpen(false); // The window was widened.

  const toggle = useCallback(() => {
    if (isMobile) setDrawerOpen(!isDrawerOpen);
    else {
      setOpen(!isOpen);
      writeSidebarCookie(!isOpen);
    }
  }, [isMobile, isOpen, isDrawerOpen]);

  useShortcut(SIDEBAR_KEYS, toggle);

  return {
    isMobile,
    isOpen,
    isDrawerOpen,
    toggle,
    closeDrawer: useCallback(() => setDrawerOpen(false), []),
  };
}

const NAME = "sidebar_state";
const SEVEN_DAYS = 7 * 24 * 60 * 60;

function readSidebarCookie(): boolean {
  return !document.cookie.split("; ").includes(`${NAME}=false`);
}

function writeSidebarCookie(isOpen: boolean): void {
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not everywhere yet
  document.cookie = `${NAME}=${isOpen}; path=/; max-age=${SEVEN_DAYS}; SameSite=Lax`;
}

function useMediaQuery(query: string): boolean {
  const subscribe = useCallback(
    (onChange: () => void) => {
      const list = window.matchMedia(query);
      list.addEventListener("change", onChange);
      return () => list.removeEventListener("change", onChange);
    },
    [query],
  );
  return useSyncExternalStore(subscribe, () => window.matchMedia(query).matches);
}
