import { Button, Dialog, DialogBody, DialogFooter } from "@blueprintjs/core";
import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import { useLocation } from "react-router";
import { useSWRConfig } from "swr";
import { useStore } from "zustand";
import { apiClient, isNotFound } from "@/shared/api/client";
import { permissionTo, usePermission } from "@/shared/auth/permissions";
import { MAX_REASON } from "@/shared/batch/sendRows";
import { SAVE_BUTTON } from "@/shared/form/saveKeys";
import { TextField } from "@/shared/form/TextField";
import { counted, grouped } from "@/shared/format/counted";
import { toast } from "@/shared/toast";
import { Notice } from "@/shared/ui";
import { keepFocus } from "@/shared/ui/ConfirmDialog";
import { type Identified, type RecordApi, type RecordDefinition, recordPath } from "../definition";
import { isListPath, listPath, readList } from "../useRecords";
import styles from "./bulk.module.css";
import { BulkRun } from "./bulkRun";
import { askBulk, type BulkRequest, endBulk } from "./bulkStore";
import { type ChangeDraft, ChangeForm, NO_CHANGES } from "./ChangeForm";
import { OutcomeList } from "./OutcomeList";
import {
  type BulkState,
  countOutcomes,
  isUndoing,
  type RecordOutcome,
  summaryOf,
  titleOf,
  undoOf,
  VERBS,
} from "./outcomes";

/** Deleting more requires typing their number. */
const DELETED_LIGHTLY = 20;

/** A bulk action: question, dry run, execution, report and undo. */
export function BulkDialog({ definition, request }: { definition: RecordDefinition; request: BulkRequest }) {
  const { what, records } = request;
  const { noun } = definition.api;
  const [run, state] = useRun(definition, request);
  const { step, rows, problem } = state;
  const [wanted, setWanted] = useState<ChangeDraft>({
    ...NO_CHANGES,
    ...(request.values && { chosen: new Set(Object.keys(request.values)), values: request.values }),
  });
  const [isOpen, setOpen] = useState(true);
  const panel = useRef<HTMLDivElement>(null);
  const formId = useId();
  const isBusy = step === "checking" || step === "running";
  const { done } = countOutcomes(rows);

  // The focused element has disappeared with the former step.
  // biome-ignore lint/correctness/useExhaustiveDependencies: at each step
  useEffect(() => panel.current?.focus(), [step]);

  // Leaving the screen closes a question, but neither a run nor its report.
  const { pathname } = useLocation();
  const [asked] = useState(pathname);
  const isElsewhere = pathname !== asked && !isBusy && step !== "ended";

  const close = () => {
    if (step === "ended" && done > 0) {
      // The report, not the toast, has the button to revert the run.
      const message = done < rows.length ? `${counted(rows.length - done, noun)} unchanged.` : undefined;
      toast.show({ title: summaryOf(state, noun).replace(/\.$/, ""), message, intent: "success" });
    }
    setOpen(false);
  };
  return (
    <Dialog
      isOpen={isOpen && !isElsewhere}
      title={titleOf(what, what === "remove" && step === "checked" ? done : records.length, noun)}
      className="fl-surface"
      style={{ width: "52rem" }}
      isCloseButtonShown={false}
      canOutsideClickClose={false}
      canEscapeKeyClose={!isBusy}
      onClose={close}
      // A user who has already moved into the dialog keeps the focus.
      onOpened={() => panel.current?.contains(document.activeElement) || panel.current?.focus()}
      onClosed={() => {
        keepFocus();
        endBulk();
      }}
    >
      <DialogBody>
        <div ref={panel} className={`fl-no-ring ${styles.panel}`} tabIndex={-1}>
          {problem !== undefined && (
            <Notice role="alert" intent="danger">
              {problem}
            </Notice>
          )}
          {isBusy && <Progress state={state} noun={noun} />}
          {step === "asking" && what === "change" && (
            <ChangeForm
              id={formId}
              definition={definition}
              record={records[0]?.id ?? ""}
              wanted={wanted}
              onChange={setWanted}
              onSubmit={(changes) => void run.check(changes)}
            />
          )}
          {(step === "checked" || step === "ended") && <p role="status">{summaryOf(state, noun)}</p>}
          {step === "checked" && done > 0 && (
            <>
              {what === "remove" && <Names rows={rows} />}
              <ConfirmForm
                id={formId}
                typed={what === "remove" && done > DELETED_LIGHTLY ? String(done) : undefined}
                reason={request.reason}
                onConfirm={(reason) => void run.execute(reason)}
              />
            </>
          )}
          {(step === "ended" || (step === "checked" && (what !== "remove" || done < rows.length))) && (
            <OutcomeList definition={definition} state={state} />
          )}
        </div>
      </DialogBody>
      <BulkFooter
        form={formId}
        run={run}
        state={state}
        api={definition.api}
        isIdle={wanted.chosen.size === 0}
        onUndo={() => askBulk(undoOf(definition, state))}
        onClose={close}
      />
    </Dialog>
  );
}

interface BulkFooterProps {
  /** Id of the current step's form. */
  form: string;
  run: BulkRun;
  state: BulkState;
  api: RecordApi;
  /** No fields are chosen. */
  isIdle: boolean;
  onUndo: () => void;
  onClose: () => void;
}

function BulkFooter({ form, run, state, api, isIdle, onUndo, onClose }: BulkFooterProps) {
  const { noun } = api;
  const { step, what, rows, isStopping = false } = state;
  const { done, open, unconfirmed } = countOutcomes(rows);
  const submit = { type: "submit", form, ...SAVE_BUTTON } as const;
  // Undoing a removal restores personal data.
  const mayRestore = usePermission(permissionTo("remove", api), "personal:read");
  const mayUndo = mayRestore || !rows.some(({ isGone }) => isGone);
  const isBusy = step === "checking" || step === "running";
  const stopText = step === "checking" ? "Cancel" : "Stop";
  const { verb } = VERBS[what];
  return (
    <DialogFooter
      actions={
        <>
          {isBusy && (
            <Button
              text={isStopping ? "Stopping..." : stopText}
              aria-busy={isStopping}
              onClick={() => run.stop()}
            />
          )}
          {(step === "asking" || step === "checked") && <Button text="Cancel" onClick={onClose} />}
          {step === "checked" && what === "change" && <Button text="Back" onClick={() => run.ask()} />}
          {step === "asking" && what === "change" && (
            <Button {...submit} intent="primary" text="Preview" disabled={isIdle} />
          )}
          {step === "asking" && what !== "change" && (
            <Button intent="primary" text="Try Again" onClick={() => void run.check()} />
          )}
          {step === "checked" && done > 0 && (
            <Button
              {...submit}
              intent={what === "remove" ? "danger" : "primary"}
              text={`${verb} ${isUndoing(what) ? grouped.format(done) : counted(done, noun)}`}
            />
          )}
          {step === "ended" && mayUndo && done > 0 && (
            <Button text={VERBS[what === "undo" ? "redo" : "undo"].verb} onClick={onUndo} />
          )}
          {step === "ended" && open + unconfirmed > 0 && (
            <Button text="Continue" onClick={() => void run.resume()} />
          )}
          {step === "ended" && <Button intent="primary" text="Close" onClick={onClose} />}
        </>
      }
    />
  );
}

interface ConfirmFormProps {
  id: string;
  /** Text to type as a confirmation. */
  typed: string | undefined;
  reason?: string | undefined;
  onConfirm: (reason: string) => void;
}

function ConfirmForm({ id, typed, reason: offered = "", onConfirm }: ConfirmFormProps) {
  const [reason, setReason] = useState(offered);
  const [text, setText] = useState("");
  const [isWrong, setWrong] = useState(false);
  const number = useRef<HTMLInputElement>(null);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const isMeant = typed === undefined || text.trim() === typed;
    setWrong(!isMeant);
    if (isMeant) onConfirm(reason.trim());
    else number.current?.focus();
  };

  return (
    <form id={id} className="fl-stack" noValidate onSubmit={submit}>
      <TextField label="Reason (optional)" maxLength={MAX_REASON} value={reason} onChange={setReason} />
      {typed !== undefined && (
        <TextField
          label={`Type ${typed} to confirm`}
          isRequired
          error={isWrong ? `Type ${typed}, the number of records to delete.` : undefined}
          inputRef={number}
          inputMode="numeric"
          value={text}
          onChange={(changed) => {
            setText(changed);
            setWrong(false);
          }}
        />
      )}
    </form>
  );
}

/** More records are not named. */
const MOST = 10;

function Names({ rows }: { rows: readonly RecordOutcome[] }) {
  const done = rows.filter(({ outcome }) => outcome === "done");
  return (
    <ul className={styles.names}>
      {done.slice(0, MOST).map(({ id, name }) => (
        <li key={id}>{name}</li>
      ))}
      {done.length > MOST && <li>and {grouped.format(done.length - MOST)} more</li>}
    </ul>
  );
}

function Progress({ state, noun }: { state: BulkState; noun: string }) {
  const { step, what, rows, waiting } = state;
  const done = rows.filter(({ outcome }) => outcome !== "open").length;
  return (
    <>
      <p role="status">
        {step === "checking" ? "Checking" : VERBS[what].busy}: {done} of {counted(rows.length, noun)}
      </p>
      <progress aria-label="Progress" max={rows.length} value={done} />
      {waiting !== undefined && (
        <Notice role="status" intent="warning">
          The server is not responding. Retrying within {waiting} s.
        </Notice>
      )}
    </>
  );
}

/** Records of a long list are read one by one, up to this number; others are shown without their old values. */
const MOST_READ = 100;

/** A dialog's run. Without fields to choose, it starts with the dry run. */
function useRun(definition: RecordDefinition, request: BulkRequest): [BulkRun, BulkState] {
  const { mutate } = useSWRConfig();
  const [run] = useState(newRun);
  const state = useStore(run.store);
  const isRunning = state.step === "running";

  function newRun(): BulkRun {
    const { api } = definition;
    const reload = async (ids: readonly string[]) => {
      const { page, content } = await readList(listPath(api));
      return page ? await readRecords(api, ids.slice(0, MOST_READ)) : content;
    };
    const onChanged = () => {
      void mutate((key) => String(key).startsWith(`${api.path}/`), undefined);
      void mutate((key) => isListPath(api, key) || String(key).startsWith("/api/v1/audit"));
      request.onDone?.();
    };
    return new BulkRun({ definition, what: request.what, records: request.records, reload, onChanged });
  }

  useEffect(() => {
    const { what, values } = request;
    if ((what === "change" && !values) || run.store.getState().step !== "asking") return;
    const changed = definition.fields.filter(({ name }) => values?.[name] !== undefined);
    void run.check(changed.map((field) => [field, values?.[field.name] ?? ""]));
  }, [run, request, definition]);

  useEffect(() => {
    if (!isRunning) return;
    const onBeforeUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", onBeforeUnload);
    return () => window.removeEventListener("beforeunload", onBeforeUnload);
  }, [isRunning]);

  return [run, state];
}

/** Read records one by one, without those that no longer exist. */
async function readRecords(api: RecordApi, ids: readonly string[]): Promise<readonly Identified[]> {
  const records: Identified[] = [];
  for (const id of ids) {
    try {
      records.push(api.unwrap((await apiClient.get(recordPath(api, id))).data));
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
  return records;
}
