import { type ReactNode, useRef } from "react";
import { ScrollRestoration } from "react-router";
import { ImportNotice } from "./ImportNotice";
import styles from "./MainArea.module.css";
import { OfflineNotice } from "./OfflineNotice";
import { RouteAnnouncer } from "./RouteAnnouncer";
import { StaleNotice } from "./StaleNotice";
import { useFocusOnNavigation } from "./useFocusOnNavigation";

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
