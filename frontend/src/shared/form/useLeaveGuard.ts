import { useCallback, useEffect, useRef } from "react";
import { type Location, useBlocker } from "react-router";
import { readAsOf } from "@/shared/asOf/asOf";

/**
 * Block navigation away from a form with unsaved changes until the user decides.
 * @param isDirty whether there are unsaved changes.
 */
export function useLeaveGuard(isDirty: boolean) {
  const mayLeave = useRef(false);
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      isDirty && !mayLeave.current && isElsewhere(currentLocation, nextLocation),
  );

  useEffect(() => {
    if (!isDirty) return;
    const onBeforeUnload = (event: BeforeUnloadEvent) => {
      if (!mayLeave.current) event.preventDefault();
    };
    window.addEventListener("beforeunload", onBeforeUnload);
    return () => window.removeEventListener("beforeunload", onBeforeUnload);
  }, [isDirty]);

  return {
    isAsking: blocker.state === "blocked",
    leave: () => blocker.proceed?.(),
    stay: () => blocker.reset?.(),
    /** Allow the next navigation: after a save or Cancel. */
    release: useCallback(() => {
      mayLeave.current = true;
    }, []),
  };
}

/** Return whether a navigation leaves the screen or its moment. */
function isElsewhere(here: Location, there: Location): boolean {
  return here.pathname !== there.pathname || readAsOf(here.search) !== readAsOf(there.search);
}
