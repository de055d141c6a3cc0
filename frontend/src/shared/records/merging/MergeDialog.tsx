import { Button } from "@blueprintjs/core";
import { SwapHorizontal } from "@blueprintjs/icons";
import { useEffect, useState } from "react";
import { Link, useNavigate } from "react-router";
import { useSWRConfig } from "swr";
import { removeRecentRecord } from "@/shared/actions";
import { ApiError, apiClient, isOutdated } from "@/shared/api/client";
import { failureText } from "@/shared/auth/refusal";
import { isDuplicatesPath } from "@/shared/duplicates/duplicates";
import { type FieldSpec, FieldValue, type SendKeyed, wireName } from "@/shared/form";
import { FormDialog } from "@/shared/form/FormDialog";
import { capitalized } from "@/shared/format/capitalized";
import { counted } from "@/shared/format/counted";
import { FieldChanges } from "@/shared/history";
import { toast } from "@/shared/toast";
import { Loaded, Notice } from "@/shared/ui";
import { keepFocus } from "@/shared/ui/ConfirmDialog";
import { Facts } from "@/shared/ui/Facts";
import { versionOf } from "../changes";
import { type LoadedRecord, type RecordDefinition, recordPath } from "../definition";
import { isSameValue } from "../merge";
import { viewPath } from "../paths";
import { undoAction } from "../undo/undoStore";
import { useRecordCommands } from "../useRecordCommands";
import { ValueChoice } from "../ValueChoice";
import { patchOf } from "../wire";
import styles from "./merging.module.css";
import { OtherRecord } from "./OtherRecord";

interface MergeDialogProps {
  definition: RecordDefinition;
  /** The record that survives unless the user swaps both, and the other; without it, the user is asked. */
  ids: readonly [string, string?];
  /** Called with the id of the survivor. */
  onMerged?: (id: string) => void;
  onClose: () => void;
}

interface Failure {
  message: string;
  /** Messages by wire name. */
  fields: Readonly<Record<string, string>>;
  /** Another record that has a unique value. */
  record?: unknown;
}

/** Merges two records: asks which one survives and which values it gets, and shows the result first. */
export function MergeDialog({ definition, ids, onMerged, onClose }: MergeDialogProps) {
  const { api, paths, fields } = definition;
  const { store, drop, reload, reloadHistory } = useRecordCommands(definition);
  const { mutate } = useSWRConfig();
  const navigate = useNavigate();
  const [otherId, setOtherId] = useState(ids[1]);
  /** Loaded once, so that nothing changes while the user decides. */
  const [pair, setPair] = useState<readonly [LoadedRecord, LoadedRecord]>();
  const [loadError, setLoadError] = useState<unknown>();
  /** The id of the record whose value was chosen, by field. */
  const [chosen, setChosen] = useState<Readonly<Record<string, string>>>({});
  const [failure, setFailure] = useState<Failure>();
  const [firstId] = ids;

  const load = async (first: string, second: string) => {
    try {
      const loaded = await Promise.all([reload(first), reload(second)]);
      // The address of a record that was merged meanwhile leads to its survivor.
      if (loaded[0].id === first && loaded[1].id === second) setPair(loaded);
      else setLoadError(new Error("One of the records has been merged already."));
    } catch (error) {
      setLoadError(error);
    }
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another record is loaded again
  useEffect(() => {
    if (otherId !== undefined) void load(firstId, otherId);
  }, [otherId]);

  const [kept, gone] = pair ?? [];
  const readable = fields.filter(
    ({ name, readOnly, fixed }) =>
      name !== "id" && !readOnly && !fixed && !kept?.hidden.has(name) && !gone?.hidden.has(name),
  );
  const differs = (spec: FieldSpec) => !isSameValue(spec, kept?.values[spec.name], gone?.values[spec.name]);
  const open = readable.filter(differs);
  const equal = readable.filter((spec) => !differs(spec) && kept?.values[spec.name] !== "");
  const isFromGone = ({ name }: FieldSpec) =>
    (chosen[name] ?? (kept?.values[name] ? kept.id : gone?.id)) === gone?.id;
  const taken = open.filter(isFromGone);

  const send = async (keyed: SendKeyed) => {
    if (kept === undefined || gone === undefined) return false;
    setFailure(undefined);
    const values = patchOf(taken.map((field) => [field, gone.values[field.name] ?? ""]));
    try {
      const path = `${recordPath(api, kept.id)}/merges`;
      const body = { from: gone.id, version: versionOf(gone.etag), values };
      const ifMatch = kept.etag;
      const answer = await keyed({ path, body, ifMatch }, (idempotencyKey) =>
        apiClient.post(path, body, { idempotencyKey, ifMatch }),
      );
      const { made } = await store(answer);
      removeRecentRecord(api.noun, gone.id);
      await drop(gone.id, false);
      await Promise.all([kept.id, gone.id].map(reloadHistory));
      await mutate(isDuplicatesPath);
      const record = nameOf(definition, kept);
      const what = `${capitalized(api.noun)}s Merged`;
      const view = { text: "View", onSelect: () => void navigate(viewPath(paths, kept.id)) };
      toast.show({
        title: what,
        message: `${gone.id} was merged into ${record}.`,
        intent: "success",
        actions: [view, undoAction(made, { entity: api.noun, id: kept.id, what, record })],
      });
    } catch (error) {
      setFailure(failureOf(error));
      if (isOutdated(error)) await load(kept.id, gone.id);
      return false;
    }
    onMerged?.(kept.id);
    onClose();
    return true;
  };

  return (
    <FormDialog
      title={`Merge ${capitalized(api.noun)}s`}
      style={{ width: "40rem" }}
      submitLabel="Merge"
      busyLabel="Merging..."
      isIdle={pair === undefined}
      notice={
        failure && (
          <Notice role="alert" intent="danger">
            {failure.message}
          </Notice>
        )
      }
      send={send}
      onClose={onClose}
      onClosed={keepFocus}
    >
      {otherId === undefined ? (
        <OtherRecord definition={definition} id={firstId} onChoose={setOtherId} />
      ) : (
        <Loaded query={{ data: pair, error: loadError }} what="both records" onRetry={null}>
          {([survivor, other]) => (
            <>
              <div className={styles.parties}>
                <Party title="Stays" record={survivor} definition={definition} />
                <Button icon={<SwapHorizontal />} text="Swap" onClick={() => setPair([other, survivor])} />
                <Party title="Is removed" record={other} definition={definition} />
              </div>
              {(survivor.hidden.size > 0 || other.hidden.size > 0) && (
                <p className="fl-remark">Hidden values are not compared: {survivor.id} keeps its own.</p>
              )}
              {open.map((spec) => {
                const error = failure?.fields[wireName(spec)];
                return (
                  <ValueChoice
                    key={spec.name}
                    spec={spec}
                    sides={[survivor, other].map(({ id, values }) => ({
                      side: id,
                      label: id,
                      value: values[spec.name] ?? "",
                    }))}
                    chosen={isFromGone(spec) ? other.id : survivor.id}
                    error={
                      error && (
                        <>
                          {error}.{" "}
                          {typeof failure?.record === "string" && (
                            <Link to={viewPath(paths, failure.record)} target="_blank">
                              Open the record
                            </Link>
                          )}
                        </>
                      )
                    }
                    onChoose={(id) => {
                      setChosen({ ...chosen, [spec.name]: id });
                      setFailure(undefined);
                    }}
                  />
                );
              })}
              {equal.length > 0 && (
                <details>
                  <summary>{counted(equal.length, "field")} with the same value</summary>
                  <Facts
                    of={Object.fromEntries(
                      equal.map((spec) => [
                        spec.label,
                        <FieldValue key={spec.name} spec={spec} value={survivor.values[spec.name] ?? ""} />,
                      ]),
                    )}
                  />
                </details>
              )}
              <section className={styles.result} aria-label="Result">
                <p role="status">
                  <strong>
                    {taken.length === 0
                      ? `${survivor.id} stays as it is.`
                      : `${survivor.id} gets ${counted(taken.length, "value")} of ${other.id}:`}
                  </strong>
                </p>
                <FieldChanges
                  labels={definition.labels}
                  changes={taken.map((spec) => ({
                    field: wireName(spec),
                    from: survivor.values[spec.name] ?? "",
                    to: other.values[spec.name] ?? "",
                  }))}
                />
                <p>
                  {other.id} is removed: its address leads to {survivor.id}, and its history stays. Undo
                  brings both back.
                </p>
              </section>
            </>
          )}
        </Loaded>
      )}
    </FormDialog>
  );
}

interface PartyProps {
  title: string;
  record: LoadedRecord;
  definition: RecordDefinition;
}

function Party({ title, record, definition }: PartyProps) {
  return (
    <p className={styles.party}>
      <span className="fl-remark">{title}</span>{" "}
      <Link to={viewPath(definition.paths, record.id)} target="_blank" className="fl-strong">
        {nameOf(definition, record)}
      </Link>{" "}
      <span className="fl-remark">{record.id}</span>
    </p>
  );
}

function nameOf({ heading }: RecordDefinition, { id, values, hidden }: LoadedRecord): string {
  return heading(values, id, hidden).title || id;
}

function failureOf(error: unknown): Failure {
  if (isOutdated(error)) {
    return {
      message: "One of the records was changed meanwhile. Check the values, then merge again.",
      fields: {},
    };
  }
  const errors = error instanceof ApiError ? error.validationErrors : [];
  const record = error instanceof ApiError ? error.problem.record : undefined;
  const fields = Object.fromEntries(errors.map(({ field, message }) => [field, message]));
  const message = errors.map((one) => one.message).join(". ") || failureText(error);
  return { message, fields, record };
}
