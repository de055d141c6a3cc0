import { useState } from "react";
import { useToast } from "@/shared/toast";
import { ConfirmDialog } from "@/shared/ui";
import type { Driver } from "./schema";
import { useDriverCommands } from "./useDriverCommands";

interface DeleteDriverDialogProps {
  /** Whom to delete; null while nobody is to be. */
  driver: Driver | null;
  onClose: () => void;
}

/** Asks before a driver is deleted, and deletes. */
export function DeleteDriverDialog({ driver, onClose }: DeleteDriverDialogProps) {
  const [isDeleting, setIsDeleting] = useState(false);
  const { remove } = useDriverCommands();
  const toast = useToast();

  const confirm = async ({ id, name }: Driver) => {
    setIsDeleting(true);
    try {
      await remove(id);
      toast.show({
        title: "Driver Deleted",
        message: `${name} has been deleted successfully.`,
        intent: "success",
      });
    } catch {
      // Whatever the reason was, the specification has one answer to it.
      toast.show({ title: "Failed to delete driver", message: "Please try again.", intent: "danger" });
    } finally {
      setIsDeleting(false);
      onClose();
    }
  };

  return (
    <ConfirmDialog
      isOpen={driver !== null}
      title="Delete Driver"
      message={`Are you sure you want to delete ${driver?.name ?? ""}? This action cannot be undone.`}
      confirmLabel="Delete Driver"
      busyLabel="Deleting..."
      isBusy={isDeleting}
      onConfirm={() => driver && confirm(driver)}
      onCancel={onClose}
    />
  );
}
