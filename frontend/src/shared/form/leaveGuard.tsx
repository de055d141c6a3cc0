import { useEffect, useRef } from "react";
import { useBlocker } from "react-router";
import { readAsOf } from "@/shared/asOf/asOf";
import { ConfirmDialog } from "@/shared/ui";

/**
 * Block navigation away from a form with unsaved changes, or from its moment, until the user decides.
 * @param isDirty whether there are unsaved changes.
 */
export function useLeaveGuard(isDirty: boolean) {
  const mayLeave = useRef(false);
  const blocker = useBlocker(
    ({ currentLocation: here, nextLocation: there }) =>
      isDirty &&
      !mayLeave.current &&
      (here.pathname !== there.pathname || readAsOf(here.search) !== readAsOf(there.search)),
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
    /** Allow the next navigation: after a save or Cancel. */
    release: () => {
      mayLeave.current = true;
    },
    dialog: (
      <ConfirmDialog
        isOpen={blocker.state === "blocked"}
        title="Unsaved changes"
        message="You have unsaved changes. Leave without saving?"
        confirmLabel="Leave without saving"
        cancelLabel="Keep editing"
        onConfirm={() => blocker.proceed?.()}
        onCancel={() => blocker.reset?.()}
      />
    ),
  };
}
