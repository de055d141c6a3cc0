import { ConfirmDialog } from "@/shared/ui";
import type { useLeaveGuard } from "./useLeaveGuard";

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
