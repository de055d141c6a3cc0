import { type ReactNode, type RefObject, useEffect, useRef, useState } from "react";
import { ScrollRestoration, useLocation } from "react-router";
import { isTyping } from "@/shared/keys";
import styles from "./frame.module.css";
import { ImportNotice, OfflineNotice, StaleNotice } from "./notices";

/** What a screen fills; every navigation brings the focus here, and is announced. */
export function MainArea({ className, children }: { className: string | undefined; children: ReactNode }) {
  const main = useRef<HTMLElement>(null);
  useFocusOnNavigation(main);
  return (
    <>
      <main ref={main} id="main" tabIndex={-1} className={`${styles.main} ${className}`}>
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

/** The first stop of the Tab key: past header and sidebar. */
export function SkipLink() {
  return (
    <a href="#main" className={styles.skip}>
      Skip to main content
    </a>
  );
}

/** Tells screen readers which screen a navigation has led to, as a page load would. */
function RouteAnnouncer() {
  const { pathname } = useLocation();
  const [announced, setAnnounced] = useState({ pathname, title: "" });

  useEffect(() => {
    if (announced.pathname === pathname) return;
    // The new screen names the document in an effect of its own: read it after that.
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
 * Moves the focus to the main area after every change of screen, as a page load would; not for changes of
 * the query string, which are a list's own business, and not when a dialog or field has already taken it.
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
