import { useCallback, useState } from "react";
import { type Shortcut, useShortcut } from "@/shared/keys";
import { readSidebarCookie, writeSidebarCookie } from "./sidebarCookie";
import { useMediaQuery } from "./useMediaQuery";

/** Below this width, in pixels, the sidebar is a drawer. */
const MOBILE_BREAKPOINT = 768;

/** Opens and closes the sidebar. */
export const SIDEBAR_KEYS: Shortcut = {
  keys: ["Control+B", "Meta+B"],
  does: "Open or close the sidebar",
  group: "Everywhere",
};

export interface SidebarState {
  isMobile: boolean;
  /** On a desktop: full width rather than icons only. */
  isOpen: boolean;
  isDrawerOpen: boolean;
  toggle: () => void;
  closeDrawer: () => void;
}

/** The sidebar's state; toggled by its button and by B with Ctrl or Meta, remembered in a cookie. */
export function useSidebar(): SidebarState {
  const isMobile = useMediaQuery(`(max-width: ${MOBILE_BREAKPOINT - 0.02}px)`);
  const [isOpen, setOpen] = useState(readSidebarCookie);
  const [isDrawerOpen, setDrawerOpen] = useState(false);
  if (isDrawerOpen && !isMobile) setDrawerOpen(false); // the window has grown meanwhile

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
