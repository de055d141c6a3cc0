import { Button } from "@blueprintjs/core";
import { Refresh } from "@blueprintjs/icons";
import { useEffect } from "react";
import { Link, useLocation, useRouteError } from "react-router";
import { EmptyState, ErrorState, useDocumentTitle, useIsOnline } from "@/shared/ui";
import styles from "./pages.module.css";

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
        message="The address may be mistyped, or the page may have been removed."
        action={<Link to="/">Return to Home</Link>}
      />
    </div>
  );
}

/** The screen shown after a rendering error, or if a screen's code could not be loaded. */
export function RouteError() {
  const error = useRouteError();
  const isOnline = useIsOnline();
  const isMissing = error instanceof Error && MISSING_CODE.test(error.message);
  const { title, message } = isMissing ? (isOnline ? UNREACHED : OFFLINE) : BROKEN;
  useDocumentTitle(title);
  useEffect(() => console.error("A screen failed.", error), [error]);
  useEffect(() => {
    if (!isMissing) return;
    // When the connection is back: browsers cache a module's failure.
    const reload = () => window.location.reload();
    window.addEventListener("online", reload);
    return () => window.removeEventListener("online", reload);
  }, [isMissing]);
  return (
    <ErrorState
      level={1}
      title={title}
      message={message}
      // Reloading without a connection would lose the page.
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
  message: "Saved changes are safe. Reload the page; if the error persists, report what you did.",
};
const UNREACHED = {
  title: "This page could not be loaded",
  message: "The connection failed, or a new version was installed. Reload the page.",
};
const OFFLINE = {
  title: "This page has not been loaded yet",
  message: "You're offline. The page opens when the connection is back.",
};

/** Error messages of browsers and Vite for a module or style sheet that could not be loaded. */
const MISSING_CODE =
  /dynamically imported module|importing a module script|unable to preload css|error loading module/i;
