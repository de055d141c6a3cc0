import { useEffect, useState } from "react";
import { useLocation } from "react-router";

/** Tells screen readers which screen a navigation has led to, as a page load would. */
export function RouteAnnouncer() {
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
