import { type ReactNode, type RefObject, useEffect, useRef, useState } from "react";
import { ScrollRestoration, useLocation } from "react-router";
import { isTyping } from "@/shared/keys";
import styles from "./frame.module.css";
import { ImportNotice, OfflineNotice, StaleNotice } from "./notices";

/** The main area of a screen. Every navigation moves the focus here and is announced. */
export function MainArea({ className, children }: { className: string | undefined; children: ReactNode }) {
  const main = useRef<HTMLElement>(null);
  useFocusOnNavigation(main);
  return (
    <>
      <main ref={main} id="main" tabIndex={-1} className={`fl-no-ring ${styles.main} ${className}`}>
        <OfflineNotice />
        <StaleNotice />
        <ImportNotice />
        {children}
      </main>
      <RouteAnnouncer />
      <ScrollRestoration />
    </>
  );
}

/** The first Tab stop, which skips header and sidebar. */
export function SkipLink() {
  return (
    <a href="#main" className={styles.skip}>
      Skip to main content
    </a>
  );
}

/** Announces the new screen's title after a navigation, as a page load would. */
function RouteAnnouncer() {
  const { pathname } = useLocation();
  const [announced, setAnnounced] = useState({ pathname, title: "" });

  useEffect(() => {
    if (announced.pathname === pathname) return;
    // Read after the new screen's effect has set the title.
    const frame = requestAnimationFrame(() => setAnnounced({ pathname, title: document.title }));
    return () => cancelAnimationFrame(frame);
  }, [announced.pathname, pathname]);

  return (
    <div aria-live="polite" className="fl-visually-hidden">
      {announced.title}
    </div>
  );
}

/**
 * Moves the focus to the main area after a change of the path, as a page load would. Changes of the query string, and a focus
 * already moved by the screen, are left alone.
 */
export function useFocusOnNavigation(main: RefObject<HTMLElement | null>): void {
  const { pathname } = useLocation();
  const previous = useRef(pathname);

  useEffect(() => {
    if (previous.current === pathname) return;
    previous.current = pathname;
    if (main.current?.contains(document.activeElement) || isTyping()) return;
    main.current?.focus({ preventScroll: true });
  }, [pathname, main]);
}
