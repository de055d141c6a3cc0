import { useRef, useState } from "react";
import { useNavigate } from "react-router";
import { isNotFound } from "@/shared/api/client";
import { useAuthStore } from "@/shared/auth/authStore";
import { usePermission } from "@/shared/auth/permissions";
import { askedFields, NOTHING_HIDDEN, RecordForm, SaveAbandoned, type SendKeyed } from "@/shared/form";
import { toast } from "@/shared/toast";
import { authorName } from "./ChangeAuthor";
import type { FormValues, LoadedRecord, RecordDefinition } from "./definition";
import { ElsewhereNotice } from "./ElsewhereNotice";
import { saveMerging } from "./saveMerging";
import { undoAction } from "./undo/undoStore";
import { useConflictDialog } from "./useConflictDialog";
import { type Saved, useRecordCommands } from "./useRecordCommands";

interface EditRecordFormProps {
  definition: RecordDefinition;
  /** The record as it is now; the form goes on from what it was at first, so that nothing typed is lost. */
  loaded: LoadedRecord;
  /** Whether the server says that it has been deleted. */
  isMissing: boolean;
  onSaved: () => void;
  onCancel: () => void;
}

/** The form of a kind of record while it is being edited, by us and perhaps by others. */
export function EditRecordForm({
  definition,
  loaded: now,
  isMissing,
  onSaved,
  onCancel,
}: EditRecordFormProps) {
  const { api, texts, paths, sections } = definition;
  const [loaded] = useState(now);
  const [isDeleted, setDeleted] = useState(false);
  const [isSent, setSent] = useState(false);
  const mayUndoAdded = usePermission("fleet:remove");
  const saved = useRef<Saved>(undefined);
  const { add, update, reload } = useRecordCommands(api);
  const { decide, dialog } = useConflictDialog();
  const navigate = useNavigate();
  const ownSub = useAuthStore(({ user }) => user?.sub);
  const isGone = isMissing || isDeleted;

  const undoOf = (what: string, isPermitted = true) => {
    const { id = loaded.id, made } = saved.current ?? {};
    return undoAction(isPermitted ? made : undefined, { entity: api.noun, id, what });
  };

  const save = async (values: FormValues, keyed: SendKeyed) => {
    setSent(true);
    try {
      const others = await saveMerging({
        loaded,
        values,
        asked: askedFields(sections, true, loaded.hidden),
        send: (base, merged) =>
          keyed(merged, async (key) => {
            saved.current = await update(base, merged, key);
          }),
        reload: () => reload(loaded.id),
        decide,
      });
      toast.show({ ...texts.updated, intent: "success", action: undoOf(texts.updated.title) });
      if (others.length > 0) {
        const names = new Set(others.map((change) => authorName(change, ownSub)));
        toast.show({ title: "Merged with newer changes", message: `Made by ${[...names].join(", ")}.` });
      }
    } catch (error) {
      setSent(false);
      if (!isNotFound(error)) throw error;
      setDeleted(true);
      throw new SaveAbandoned();
    }
  };

  const saving = isGone
    ? {
        submitLabel: texts.add,
        busyLabel: "Adding...",
        save: (values: FormValues, keyed: SendKeyed) =>
          keyed(values, async (key) => {
            saved.current = await add(values, key, loaded);
          }),
        failureTitle: texts.addFailed,
        onSaved: () => {
          const action = undoOf(texts.added.title, mayUndoAdded);
          toast.show({ ...texts.added, intent: "success", action });
          navigate(paths.added?.(saved.current?.id ?? "") ?? paths.list);
        },
      }
    : {
        submitLabel: "Save Changes",
        busyLabel: "Saving...",
        save,
        failureTitle: texts.updateFailed,
        onSaved,
      };

  return (
    <>
      {isGone && <ElsewhereNotice noun={api.noun} what="deleted" />}
      {!isGone && !isSent && now.etag !== loaded.etag && <ElsewhereNotice noun={api.noun} what="changed" />}
      <RecordForm
        label={`Edit ${api.noun}`}
        sections={sections}
        initial={loaded.values}
        // To be added again it must be whole.
        hidden={isGone ? NOTHING_HIDDEN : loaded.hidden}
        isExisting
        failureMessage={texts.saveFailed}
        onCancel={onCancel}
        {...saving}
      />
      {dialog}
    </>
  );
}
