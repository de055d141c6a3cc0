import { useCallback, useEffect, useRef } from "react";
import { type Location, useBlocker } from "react-router";
import { readAsOf } from "@/shared/asOf/asOf";

/**
 * Holds back every way out of a form with unsaved changes until the user has decided.
 * @param isDirty whether there is something to lose.
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
    /** Lets the next way out pass without a question: after a save, or when Cancel was the answer. */
    release: useCallback(() => {
      mayLeave.current = true;
    }, []),
  };
}

/** Another screen, or the same one at another moment. */
function isElsewhere(here: Location, there: Location): boolean {
  return here.pathname !== there.pathname || readAsOf(here.search) !== readAsOf(there.search);
}
