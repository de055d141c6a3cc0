import { lazy, Suspense, useRef, useState } from "react";
import { Navigate, useLocation, useNavigate, useParams } from "react-router";
import { isNotFound } from "@/shared/api/client";
import { useAsOf } from "@/shared/asOf";
import { useAuthStore } from "@/shared/auth/authStore";
import { Needs } from "@/shared/auth/Needs";
import { permissionTo } from "@/shared/auth/permissions";
import { askedFields, NOTHING_HIDDEN, RecordForm, SaveAbandoned, type SendKeyed } from "@/shared/form";
import { capitalized } from "@/shared/format/capitalized";
import { toast } from "@/shared/toast";
import { LinkButton, LoadingState, Notice } from "@/shared/ui";
import { useConflictDialog } from "./ConflictDialog";
import { authorName } from "./changes";
import type { FormValues, KindProps, LoadedRecord, RecordProps } from "./definition";
import { saveWithMerge } from "./merge";
import { useListAddress, useRowAddress, useWayBack, viewPath } from "./paths";
import { RecordFrame } from "./RecordFrame";
import { SimilarRecords } from "./SimilarRecords";
import { undoAction } from "./undo/undoStore";
import { type Saved, useRecordCommands } from "./useRecordCommands";
import { useRecord } from "./useRecords";
import { useReportAdded } from "./useReportAdded";

// Past moments are read-only; few users open them here.
const ViewRecordPage = lazy(async () => ({ default: (await import("./ViewRecordPage")).ViewRecordPage }));

export function EditRecordPage({ definition }: KindProps) {
  const { id = "" } = useParams();
  const { asOf, addressOf } = useAsOf();
  const { noun } = definition.api;
  return (
    <Needs
      permissions={[permissionTo("read", definition.api), permissionTo("write", definition.api)]}
      to={`edit a ${noun}`}
      back={<LinkButton to={addressOf(viewPath(definition.paths, id))} text={`View ${capitalized(noun)}`} />}
      stays
    >
      {asOf !== null ? (
        <Suspense fallback={<LoadingState label={definition.texts.loading} />}>
          <ViewRecordPage definition={definition} />
        </Suspense>
      ) : (
        <EditedRecord key={id} id={id} definition={definition} />
      )}
    </Needs>
  );
}

function EditedRecord({ definition, id }: RecordProps) {
  const { state } = useLocation();
  const navigate = useNavigate();
  const listAddress = useListAddress(definition.paths);
  const wayBack = useWayBack();
  const query = useRecord(definition.api, id);
  const view = () => navigate(viewPath(definition.paths, id), { replace: true, state });
  const cancel = definition.cancelEdit === "view" ? view : () => navigate(listAddress);
  return (
    // Text that is being typed stays, even when the record is removed elsewhere.
    <RecordFrame definition={definition} id={id} query={query} keepsMissing>
      {(loaded, isMissing) => (
        <EditRecordForm
          definition={definition}
          id={id}
          loaded={loaded}
          // The address of a merged record leads to its survivor.
          isMissing={isMissing || loaded.id !== id}
          onSaved={wayBack ?? view}
          onCancel={wayBack ?? cancel}
        />
      )}
    </RecordFrame>
  );
}

interface EditRecordFormProps extends RecordProps {
  /** The record as it is now; the form keeps the values that it started from. */
  loaded: LoadedRecord;
  /** The server says that the record was deleted. */
  isMissing: boolean;
  onSaved: () => void;
  onCancel: () => void;
}

/** The form of a record that others may edit at the same time. */
function EditRecordForm(props: EditRecordFormProps) {
  const { definition, loaded: now, isMissing, onSaved, onCancel } = props;
  const { api, texts, paths, sections } = definition;
  const [loaded] = useState(now);
  const [isDeleted, setDeleted] = useState(false);
  const [isSent, setSent] = useState(false);
  const rowAddress = useRowAddress(paths);
  const reportAdded = useReportAdded(definition);
  const saved = useRef<Saved>(undefined);
  const { add, update, reload } = useRecordCommands(definition);
  const { decide, dialog } = useConflictDialog(api.noun);
  const navigate = useNavigate();
  const ownSub = useAuthStore(({ user }) => user?.sub);
  const isGone = isMissing || isDeleted;

  const save = async (values: FormValues, keyed: SendKeyed) => {
    setSent(true);
    try {
      const { id } = loaded;
      const { made, others } = await saveWithMerge({
        loaded,
        values,
        asked: askedFields(sections, true, loaded.hidden),
        send: (base, merged) => keyed(merged, (key) => update(base, merged, key)),
        reload: () => reload(id),
        decide,
      });
      const record = definition.heading(values, id, loaded.hidden).title || id;
      const change = { entity: api.noun, id, what: texts.updated.title, record };
      const actions = [undoAction(made, change)];
      toast.show({ ...texts.updated, record, intent: "success", actions });
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
        save: async (values: FormValues, keyed: SendKeyed) => {
          saved.current = await keyed(values, (key) => add(values, key, loaded));
          reportAdded(saved.current, values);
        },
        failureTitle: texts.addFailed,
        onSaved: () => navigate(rowAddress(saved.current?.id ?? "")),
      }
    : {
        submitLabel: "Save Changes",
        busyLabel: "Saving...",
        save,
        failureTitle: texts.updateFailed,
        onSaved,
      };

  if (loaded.id !== props.id) {
    return <Navigate to={viewPath(paths, loaded.id)} replace state={{ merged: props.id }} />;
  }
  return (
    <>
      {isGone && <ElsewhereNotice noun={api.noun} what="deleted" />}
      {!isGone && !isSent && now.etag !== loaded.etag && <ElsewhereNotice noun={api.noun} what="changed" />}
      <RecordForm
        label={`Edit ${api.noun}`}
        sections={sections}
        initial={loaded.values}
        // A record that is added again must be complete.
        hidden={isGone ? NOTHING_HIDDEN : loaded.hidden}
        isExisting
        addressOf={(id) => viewPath(definition.paths, id)}
        failureMessage={texts.saveFailed}
        onCancel={onCancel}
        below={(slot) =>
          // Masked values cannot be compared.
          loaded.hidden.size === 0 && (
            <SimilarRecords definition={definition} id={loaded.id} initial={loaded.values} slot={slot} />
          )
        }
        {...saving}
      />
      {dialog}
    </>
  );
}

/** A notice above a form: the record is no longer what the form started from. */
function ElsewhereNotice({ noun, what }: { noun: string; what: "changed" | "deleted" }) {
  const isDeleted = what === "deleted";
  return (
    <Notice intent={isDeleted ? "warning" : "none"} role={isDeleted ? "alert" : "status"}>
      <p>
        <strong>
          This {noun} was {what} elsewhere
        </strong>
      </p>
      {isDeleted
        ? `Your entries are still here. Add the ${noun} again, or leave with Cancel.`
        : "Your entries are kept. Saving merges both changes; you are asked about fields that both changed."}
    </Notice>
  );
}
