import { ConfirmDialog } from "@/shared/ui";
import type { useLeaveGuard } from "./useLeaveGuard";

/** The question that a guard asks before unsaved changes are left behind. */
export function LeaveDialog({ guard }: { guard: ReturnType<typeof useLeaveGuard> }) {
  return (
    <ConfirmDialog
      isOpen={guard.isAsking}
      title="Unsaved changes"
      message="What you have typed has not been saved. Leave without saving?"
      confirmLabel="Leave without saving"
      cancelLabel="Keep editing"
      onConfirm={guard.leave}
      onCancel={guard.stay}
    />
  );
}
