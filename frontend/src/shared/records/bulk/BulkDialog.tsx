import { Button, Dialog, DialogBody, DialogFooter } from "@blueprintjs/core";
import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import { useLocation } from "react-router";
import { useSWRConfig } from "swr";
import { useStore } from "zustand";
import { type ApiResponse, apiClient, isNotFound } from "@/shared/api/client";
import { usePermission } from "@/shared/auth/permissions";
import { MAX_REASON } from "@/shared/batch/sendRows";
import { TELLS_SAVE_KEYS } from "@/shared/form/saveKeys";
import { TextField } from "@/shared/form/TextField";
import { counted, grouped } from "@/shared/format/counted";
import { Notice } from "@/shared/ui";
import { keepFocus } from "@/shared/ui/ConfirmDialog";
import { type Identified, type RecordApi, type RecordDefinition, recordPath } from "../definition";
import { type ListAnswer, listPath } from "../useRecords";
import styles from "./bulk.module.css";
import { BulkRun } from "./bulkRun";
import { askBulk, type BulkRequest, endBulk } from "./bulkStore";
import { ChangeForm, NOTHING_WANTED } from "./ChangeForm";
import { OutcomeList } from "./OutcomeList";
import {
  type BulkState,
  busyText,
  countOutcomes,
  doText,
  type RowOutcome,
  summaryOf,
  tellEnd,
  titleOf,
  undoOf,
  undoText,
} from "./outcomes";

interface BulkDialogProps {
  definition: RecordDefinition;
  request: BulkRequest;
}

/** More are not deleted without typing how many. */
const DELETED_LIGHTLY = 20;

/** One thing done with many records: the question, what would come of it, the doing, its report, the undoing. */
export function BulkDialog({ definition, request }: BulkDialogProps) {
  const { what, records } = request;
  const { noun } = definition.api;
  const [run, state] = useRun(definition, request);
  const { step, rows, problem } = state;
  const [wanted, setWanted] = useState(NOTHING_WANTED);
  const [isOpen, setOpen] = useState(true);
  const panel = useRef<HTMLDivElement>(null);
  const formId = useId();
  const isBusy = step === "checking" || step === "running";
  const { done } = countOutcomes(rows);

  // What had the focus is gone with the step before.
  // biome-ignore lint/correctness/useExhaustiveDependencies: at each step
  useEffect(() => panel.current?.focus(), [step]);

  // A question is about what one looks at; what is under way and its report stay.
  const { pathname } = useLocation();
  const [asked] = useState(pathname);
  const isElsewhere = pathname !== asked && !isBusy && step !== "ended";

  const close = () => {
    if (step === "ended" && done > 0) tellEnd(definition, state);
    setOpen(false);
  };
  return (
    <Dialog
      isOpen={isOpen && !isElsewhere}
      title={titleOf(what, what === "remove" && step === "checked" ? done : records.length, noun)}
      className={styles.dialog}
      isCloseButtonShown={false}
      canOutsideClickClose={false}
      canEscapeKeyClose={!isBusy}
      onClose={close}
      // Whoever is quicker than the dialog opens stays where they are.
      onOpened={() => panel.current?.contains(document.activeElement) || panel.current?.focus()}
      onClosed={() => {
        keepFocus();
        endBulk();
      }}
    >
      <DialogBody>
        <div ref={panel} className={styles.panel} tabIndex={-1}>
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
              onSubmit={(told) => void run.check(told)}
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
                onConfirm={(reason) => void run.carryOut(reason)}
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
        noun={noun}
        isIdle={wanted.chosen.size === 0}
        onUndo={() => askBulk(undoOf(definition, state))}
        onClose={close}
      />
    </Dialog>
  );
}

interface BulkFooterProps {
  /** The id of the form that the step at hand has. */
  form: string;
  run: BulkRun;
  state: BulkState;
  noun: string;
  /** There is nothing yet that could be checked. */
  isIdle: boolean;
  onUndo: () => void;
  onClose: () => void;
}

/** What can be done next. */
function BulkFooter({ form, run, state, noun, isIdle, onUndo, onClose }: BulkFooterProps) {
  const { step, what, rows, isStopping = false } = state;
  const { done, open, unconfirmed } = countOutcomes(rows);
  const submit = { type: "submit", form, ...TELLS_SAVE_KEYS } as const;
  // What a change did, whoever may change takes back; what is gone comes back with all that it was.
  const mayBringBack = [usePermission("fleet:remove"), usePermission("personal:read")].every(Boolean);
  const mayUndo = mayBringBack || !rows.some(({ isGone }) => isGone);
  const isBusy = step === "checking" || step === "running";
  const stopText = step === "checking" ? "Cancel" : "Stop";
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
              text={doText(what, done, noun)}
            />
          )}
          {step === "ended" && mayUndo && done > 0 && <Button text={undoText(what)} onClick={onUndo} />}
          {step === "ended" && open + unconfirmed > 0 && (
            <Button text="Go On" onClick={() => void run.goOn()} />
          )}
          {step === "ended" && <Button intent="primary" text="Close" onClick={onClose} />}
        </>
      }
    />
  );
}

interface ConfirmFormProps {
  id: string;
  /** What has to be typed first, for it would be much to lose by a slip. */
  typed: string | undefined;
  /** Offered. */
  reason?: string | undefined;
  onConfirm: (reason: string) => void;
}

/** Asks why, and whether it is meant. */
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
          error={isWrong ? `Type ${typed}, how many will be deleted.` : undefined}
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

/** So many are named. */
const MOST = 10;

/** The records that something will be done with, by their names. */
function Names({ rows }: { rows: readonly RowOutcome[] }) {
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

/** How far it is. */
function Progress({ state, noun }: { state: BulkState; noun: string }) {
  const { step, what, rows, waiting } = state;
  const done = rows.filter(({ outcome }) => outcome !== "open").length;
  return (
    <>
      <p role="status">
        {step === "checking" ? "Checking what would become of them" : busyText(what)}: {done} of{" "}
        {counted(rows.length, noun)}
      </p>
      <progress className={styles.progress} aria-label="Progress" max={rows.length} value={done} />
      {waiting !== undefined && (
        <Notice role="status" intent="warning">
          The server does not answer at the moment. It is asked again within {waiting} s.
        </Notice>
      )}
    </>
  );
}

/** Seconds until a list is read again that lacks what the server has answered already. */
const UNTIL_CURRENT = 1;

/** Of records of a long list: so many are read, one by one; of the others it is told what they become, not what they were. */
const MOST_READ = 100;

/** The run of a dialog. Where no change is told field by field, it begins with the dry run. */
function useRun(definition: RecordDefinition, request: BulkRequest): [BulkRun, BulkState] {
  const { mutate } = useSWRConfig();
  const [run] = useState(newRun);
  const state = useStore(run.store);
  const isRunning = state.step === "running";

  function newRun(): BulkRun {
    const { path } = definition.api;
    const list = listPath(definition.api);
    const reload = async (ids: readonly string[]): Promise<readonly Identified[]> => {
      for (;;) {
        const read = (known?: ApiResponse<ListAnswer>) =>
          apiClient.get<ListAnswer>(list, known ? { known } : {});
        const answer = await mutate<ApiResponse<ListAnswer>>(list, read, { revalidate: false });
        if (answer?.data.page) return await readRecords(definition.api, ids.slice(0, MOST_READ));
        if (answer && !answer.stale) return answer.data.content;
        await new Promise((resolve) => setTimeout(resolve, UNTIL_CURRENT * 1000));
      }
    };
    const onChanged = () => {
      const tells = (start: string) => (key: unknown) => typeof key === "string" && key.startsWith(start);
      void mutate(tells(`${path}/`), undefined);
      void mutate((key) => key === path || tells(`${path}?`)(key) || tells("/api/v1/audit")(key));
      request.onDone?.();
    };
    return new BulkRun({ definition, what: request.what, records: request.records, reload, onChanged });
  }

  useEffect(() => {
    if (request.what !== "change" && run.store.getState().step === "asking") void run.check();
  }, [run, request]);

  useEffect(() => {
    if (!isRunning) return;
    const onBeforeUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", onBeforeUnload);
    return () => window.removeEventListener("beforeunload", onBeforeUnload);
  }, [isRunning]);

  return [run, state];
}

/** Reads records one by one; those that are not to be had are left out. */
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
