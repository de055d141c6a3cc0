import { Dialog, DialogBody } from "@blueprintjs/core";
import { useEffect, useId, useRef, useState } from "react";
import { useLocation } from "react-router";
import { Notice } from "@/shared/ui";
import { keepFocus } from "@/shared/ui/ConfirmDialog";
import type { RecordDefinition } from "../definition";
import { BulkFooter } from "./BulkFooter";
import styles from "./bulk.module.css";
import { askBulk, type BulkRequest, endBulk } from "./bulkStore";
import { ChangeForm, NOTHING_WANTED } from "./ChangeForm";
import { ConfirmForm } from "./ConfirmForm";
import { Names } from "./Names";
import { OutcomeList } from "./OutcomeList";
import { countOutcomes } from "./outcomes";
import { Progress } from "./Progress";
import { tellEnd, undoOf } from "./undoOf";
import { useRun } from "./useRun";
import { summaryOf, titleOf } from "./words";

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
