import { useCallback, useEffect, useRef } from "react";
import { useBlocker } from "react-router";

/**
 * Holds back every way out of a form with unsaved changes until the user has decided.
 * @param isDirty whether there is something to lose.
 */
export function useLeaveGuard(isDirty: boolean) {
  const mayLeave = useRef(false);
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      isDirty && !mayLeave.current && currentLocation.pathname !== nextLocation.pathname,
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
