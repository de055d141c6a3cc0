import { useState } from "react";
import { refusalText } from "@/shared/auth/refusal";
import { toast } from "@/shared/toast";
import { ConfirmDialog } from "@/shared/ui";
import type { KindProps, Listed, RecordList } from "./definition";
import { useRecordCommands } from "./useRecordCommands";

interface DeleteRecordDialogProps extends KindProps {
  list: RecordList<Listed>;
  /** The record to delete; null while the dialog is closed. */
  row: Listed | null;
  onClose: () => void;
  /** Called after the deletion, before the dialog closes. */
  onDeleted?: () => void;
}

/** Asks for confirmation and deletes a record. */
export function DeleteRecordDialog({ definition, list, row, onClose, onDeleted }: DeleteRecordDialogProps) {
  const [isDeleting, setIsDeleting] = useState(false);
  const { remove } = useRecordCommands(definition);
  const { texts } = list;
  const name = row ? list.nameOf(row) || row.id : "";

  const confirm = async () => {
    setIsDeleting(true);
    try {
      if (row) await remove(row.id);
      const text = texts.deleted(name);
      toast.show({ ...text, record: text.message === undefined ? name : undefined, intent: "success" });
      onDeleted?.();
    } catch (error) {
      // The specification has one message for every failure; it knows no permissions.
      const message = refusalText(error);
      toast.show({ ...texts.deleteFailed, ...(message && { message }), intent: "danger" });
    } finally {
      setIsDeleting(false);
      onClose();
    }
  };

  return (
    <ConfirmDialog
      isOpen={row !== null}
      title={texts.delete}
      message={texts.deleteQuestion(name)}
      confirmLabel={texts.delete}
      busyLabel="Deleting..."
      isBusy={isDeleting}
      onConfirm={() => void confirm()}
      onCancel={onClose}
    />
  );
}
