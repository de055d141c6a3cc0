import { useRef, useState } from "react";
import { useNavigate } from "react-router";
import { isNotFound } from "@/shared/api/client";
import { useAuthStore } from "@/shared/auth/authStore";
import { askedFields, NOTHING_HIDDEN, RecordForm, SaveAbandoned, type SendKeyed } from "@/shared/form";
import { toast } from "@/shared/toast";
import { authorName } from "./ChangeAuthor";
import type { FormValues, LoadedRecord, RecordDefinition } from "./definition";
import { ElsewhereNotice } from "./ElsewhereNotice";
import { saveMerging } from "./saveMerging";
import { useConflictDialog } from "./useConflictDialog";
import { useRecordCommands } from "./useRecordCommands";

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
  const newId = useRef("");
  const { add, update, reload } = useRecordCommands(api);
  const { decide, dialog } = useConflictDialog();
  const navigate = useNavigate();
  const ownSub = useAuthStore(({ user }) => user?.sub);
  const isGone = isMissing || isDeleted;

  const save = async (values: FormValues, keyed: SendKeyed) => {
    setSent(true);
    try {
      const others = await saveMerging({
        loaded,
        values,
        asked: askedFields(sections, true, loaded.hidden),
        send: (base, merged) => keyed(merged, (key) => update(base, merged, key)),
        reload: () => reload(loaded.id),
        decide,
      });
      toast.show({ ...texts.updated, intent: "success" });
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
            newId.current = await add(values, key, loaded);
          }),
        failureTitle: texts.addFailed,
        onSaved: () => {
          toast.show({ ...texts.added, intent: "success" });
          navigate(paths.added?.(newId.current) ?? paths.list);
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
