import { useCallback, useState, useSyncExternalStore } from "react";
import { type Shortcut, useShortcut } from "@/shared/keys";

/** Below this width, in pixels, the sidebar is a drawer. */
const MOBILE_BREAKPOINT = 768;

export const SIDEBAR_KEYS: Shortcut = {
  keys: ["Control+B", "Meta+B"],
  does: "Open or close the sidebar",
  group: "Everywhere",
};

export type SidebarState = ReturnType<typeof useSidebar>;

/** The sidebar's state, stored in a cookie for seven days (spec, section 2). */
export function useSidebar() {
  const isMobile = useSyncExternalStore(followWidth, () => isNarrow().matches);
  const [isOpen, setOpen] = useState(() => !document.cookie.split("; ").includes(`${NAME}=false`));
  const [isDrawerOpen, setDrawerOpen] = useState(false);
  if (isDrawerOpen && !isMobile) setDrawerOpen(false); // The window was widened.

  const toggle = useCallback(() => {
    if (isMobile) setDrawerOpen(!isDrawerOpen);
    else {
      setOpen(!isOpen);
      // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not everywhere yet
      document.cookie = `${NAME}=${!isOpen}; path=/; max-age=${SEVEN_DAYS}; SameSite=Lax`;
    }
  }, [isMobile, isOpen, isDrawerOpen]);

  useShortcut(SIDEBAR_KEYS, toggle);

  return {
    isMobile,
    /** Full width instead of icons only, on wide screens. */
    isOpen,
    isDrawerOpen,
    toggle,
    closeDrawer: useCallback(() => setDrawerOpen(false), []),
  };
}

const NAME = "sidebar_state";
const SEVEN_DAYS = 7 * 24 * 60 * 60;

const isNarrow = () => window.matchMedia(`(max-width: ${MOBILE_BREAKPOINT - 0.02}px)`);

function followWidth(onChange: () => void): () => void {
  const list = isNarrow();
  list.addEventListener("change", onChange);
  return () => list.removeEventListener("change", onChange);
}
