import { useCallback, useEffect, useState } from "react";
import { readSidebarCookie, writeSidebarCookie } from "./sidebarCookie";
import { useMediaQuery } from "./useMediaQuery";

/** Below this width, in pixels, the sidebar is a drawer. */
const MOBILE_BREAKPOINT = 768;

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

  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "b" || event.shiftKey || event.altKey) return;
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      toggle();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [toggle]);

  return {
    isMobile,
    isOpen,
    isDrawerOpen,
    toggle,
    closeDrawer: useCallback(() => setDrawerOpen(false), []),
  };
}
