import { useState } from "react";
import { useNavigate } from "react-router";
import { refusalText } from "@/shared/auth/refusal";
import { toast } from "@/shared/toast";
import { ConfirmDialog } from "@/shared/ui";
import type { KindProps, LoadedRecord, RecordApi } from "./definition";
import { useListAddress } from "./paths";
import type { ListTexts } from "./texts";
import { useRecordCommands } from "./useRecordCommands";

interface DeleteRecordDialogProps {
  api: RecordApi;
  texts: ListTexts;
  /** The record to delete; null while the dialog is closed. */
  record: { id: string; name: string } | null;
  onClose: () => void;
  /** Called after the deletion, before the dialog closes. */
  onDeleted?: () => void;
}

/** Asks for confirmation and deletes a record. */
export function DeleteRecordDialog({ api, texts, record, onClose, onDeleted }: DeleteRecordDialogProps) {
  const [isDeleting, setIsDeleting] = useState(false);
  const { remove } = useRecordCommands(api);

  const confirm = async ({ id, name }: { id: string; name: string }) => {
    setIsDeleting(true);
    try {
      await remove(id);
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
      isOpen={record !== null}
      title={texts.delete}
      message={texts.deleteQuestion(record?.name ?? "")}
      confirmLabel={texts.delete}
      busyLabel="Deleting..."
      isBusy={isDeleting}
      onConfirm={() => record && confirm(record)}
      onCancel={onClose}
    />
  );
}

interface DeleteFromPageProps extends KindProps {
  /** The record to delete; null while the dialog is closed. */
  loaded: LoadedRecord | null;
  onClose: () => void;
}

/** Deletes the record of a page after confirmation, and returns to the list. */
export function DeleteFromPage({ definition: { api, list, paths }, loaded, onClose }: DeleteFromPageProps) {
  const navigate = useNavigate();
  const listAddress = useListAddress(paths);
  if (list === undefined) return null;
  return (
    <DeleteRecordDialog
      api={api}
      texts={list.texts}
      record={loaded && { id: loaded.id, name: list.nameOf(api.toRow(loaded.wire)) || loaded.id }}
      onClose={onClose}
      // Back must not lead to the deleted record.
      onDeleted={() => navigate(listAddress, { replace: true })}
    />
  );
}
