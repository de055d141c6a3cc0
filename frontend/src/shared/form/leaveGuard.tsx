import { useCallback, useEffect, useRef } from "react";
import { type Location, useBlocker } from "react-router";
import { readAsOf } from "@/shared/asOf/asOf";
import { ConfirmDialog } from "@/shared/ui";

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

/** Asks whether to leave unsaved changes. */
export function LeaveDialog({ guard }: { guard: ReturnType<typeof useLeaveGuard> }) {
  return (
    <ConfirmDialog
      isOpen={guard.isAsking}
      title="Unsaved changes"
      message="You have unsaved changes. Leave without saving?"
      confirmLabel="Leave without saving"
      cancelLabel="Keep editing"
      onConfirm={guard.leave}
      onCancel={guard.stay}
    />
  );
}
