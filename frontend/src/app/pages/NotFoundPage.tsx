import { useEffect } from "react";
import { Link, useLocation } from "react-router";
import { EmptyState, useDocumentTitle } from "@/shared/ui";
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
