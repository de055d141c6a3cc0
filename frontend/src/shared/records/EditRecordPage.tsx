import { lazy, type ReactNode, Suspense, useRef, useState } from "react";
import { useLocation, useNavigate, useParams } from "react-router";
import { isNotFound } from "@/shared/api/client";
import { useAsOf } from "@/shared/asOf";
import { useAuthStore } from "@/shared/auth/authStore";
import { Needs } from "@/shared/auth/Needs";
import { usePermission } from "@/shared/auth/permissions";
import { askedFields, NOTHING_HIDDEN, RecordForm, SaveAbandoned, type SendKeyed } from "@/shared/form";
import { capitalized } from "@/shared/format/capitalized";
import { toast } from "@/shared/toast";
import { LinkButton, LoadingState, Notice } from "@/shared/ui";
import { useConflictDialog } from "./ConflictDialog";
import { authorName } from "./changes";
import type { FormValues, LoadedRecord, RecordDefinition } from "./definition";
import { useListAddress, useWayBack, viewPath } from "./paths";
import { RecordFrame } from "./RecordFrame";
import { saveMerging } from "./saveMerging";
import { undoAction } from "./undo/undoStore";
import { type Saved, useRecordCommands } from "./useRecordCommands";
import { useRecord } from "./useRecords";

// The past is read, not edited; few ask for it here.
const ViewedRecord = lazy(async () => ({ default: (await import("./ViewRecordPage")).ViewedRecord }));

interface DefinedPageProps {
  definition: RecordDefinition;
}

/** The form of a kind of record in edit mode. */
export function EditRecordPage({ definition }: DefinedPageProps) {
  const { id = "" } = useParams();
  const { addressOf } = useAsOf();
  const { noun } = definition.api;
  return (
    <Needs
      permissions={["fleet:read", "fleet:write"]}
      to={`edit a ${noun}`}
      back={<LinkButton to={addressOf(viewPath(definition.paths, id))} text={`View ${capitalized(noun)}`} />}
      stays
    >
      <EditedAtAddress key={id} id={id} definition={definition} />
    </Needs>
  );
}

function EditedAtAddress({ definition, id }: DefinedPageProps & { id: string }) {
  const { state } = useLocation();
  const navigate = useNavigate();
  const listAddress = useListAddress(definition.paths);
  const { asOf } = useAsOf();
  const wayBack = useWayBack();
  if (asOf !== null) {
    return (
      <Suspense fallback={<LoadingState label={definition.texts.loading} />}>
        <ViewedRecord id={id} definition={definition} />
      </Suspense>
    );
  }

  const view = () => navigate(viewPath(definition.paths, id), { replace: true, state });
  const cancel = definition.cancelEdit === "view" ? view : () => navigate(listAddress);
  return (
    <EditedRecord definition={definition} id={id} onSaved={wayBack ?? view} onCancel={wayBack ?? cancel} />
  );
}

interface EditedRecordProps extends DefinedPageProps {
  id: string;
  onSaved: () => void;
  onCancel: () => void;
}

function EditedRecord({ definition, id, onSaved, onCancel }: EditedRecordProps): ReactNode {
  const query = useRecord(definition.api, id);
  return (
    // What was being typed stays, even when the record has been removed elsewhere meanwhile.
    <RecordFrame definition={definition} id={id} query={query} keepsMissing>
      {(loaded, isMissing) => (
        <EditRecordForm
          definition={definition}
          loaded={loaded}
          isMissing={isMissing}
          onSaved={onSaved}
          onCancel={onCancel}
        />
      )}
    </RecordFrame>
  );
}

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
function EditRecordForm({ definition, loaded: now, isMissing, onSaved, onCancel }: EditRecordFormProps) {
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

interface ElsewhereNoticeProps {
  noun: string;
  /** What became of the record while it was being edited here. */
  what: "changed" | "deleted";
}

/** Above the form of a record: it is not any more what the form started from. */
function ElsewhereNotice({ noun, what }: ElsewhereNoticeProps) {
  const isDeleted = what === "deleted";
  return (
    <Notice intent={isDeleted ? "warning" : "none"} role={isDeleted ? "alert" : "status"}>
      <p>
        <strong>
          This {noun} has been {what} elsewhere
        </strong>
      </p>
      {isDeleted
        ? "What you have typed is still here. It can be added again, or left with Cancel."
        : "What you have typed stays. When you save, both are merged; where the same field was changed, you will be asked."}
    </Notice>
  );
}
