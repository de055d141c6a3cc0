import { Button } from "@blueprintjs/core";
import { Refresh } from "@blueprintjs/icons";
import { useEffect } from "react";
import { Link, useLocation, useRouteError } from "react-router";
import { EmptyState, ErrorState, useDocumentTitle, useIsOnline } from "@/shared/ui";
import styles from "./pages.module.css";

/** Any address that is no screen. */
export function NotFoundPage() {
  const { pathname } = useLocation();
  useDocumentTitle("Page not found");
  useEffect(() => console.warn(`No screen at ${pathname}`), [pathname]);
  return (
    <div className={styles.centred}>
      <p className={styles.figure} aria-hidden="true">
        404
      </p>
      <EmptyState
        level={1}
        title="Oops! Page not found"
        message="There is nothing at this address. It may have been mistyped, or what was here may have been removed."
        action={<Link to="/">Return to Home</Link>}
      />
    </div>
  );
}

/** A screen that broke, or whose code could not be fetched; the rest of the page goes on working. */
export function RouteError() {
  const error = useRouteError();
  const isOnline = useIsOnline();
  const isMissing = isMissingCode(error);
  const { title, message } = isMissing ? (isOnline ? UNREACHED : OFFLINE) : BROKEN;
  useDocumentTitle(title);
  useEffect(() => console.error("A screen failed.", error), [error]);
  useReloadWhenBack(isMissing);
  return (
    <ErrorState
      level={1}
      title={title}
      message={message}
      // Without a connection, reloading would leave nothing of the page.
      action={
        isOnline && (
          <Button icon={<Refresh />} onClick={() => window.location.reload()}>
            Reload
          </Button>
        )
      }
    />
  );
}

const BROKEN = {
  title: "Something went wrong on this page",
  message: "What you saved is safe. Reloading usually helps; if it does not, please report what you did.",
};
const UNREACHED = {
  title: "This page could not be loaded",
  message:
    "The connection failed, or a newer version has been installed meanwhile. Reloading helps in both cases.",
};
const OFFLINE = {
  title: "This page has not been loaded yet",
  message: "You are offline. It opens by itself when the connection is back.",
};

/** How browsers and Vite say that a module, or the styles that belong to it, did not arrive. */
const MISSING_CODE =
  /dynamically imported module|importing a module script|unable to preload css|error loading module/i;

function isMissingCode(error: unknown): boolean {
  return error instanceof Error && MISSING_CODE.test(error.message);
}

/** The code that did not arrive is fetched with a page of its own, because browsers remember a module's failure. */
function useReloadWhenBack(isMissing: boolean): void {
  useEffect(() => {
    if (!isMissing) return;
    const reload = () => window.location.reload();
    window.addEventListener("online", reload);
    return () => window.removeEventListener("online", reload);
  }, [isMissing]);
}
