import { Button, Dialog, DialogBody, DialogFooter, Radio } from "@blueprintjs/core";
import { useId, useRef, useState } from "react";
import { FieldValue, SaveAbandoned } from "@/shared/form";
import styles from "./ConflictDialog.module.css";
import { ChangeAuthor } from "./changes";
import type { FormValues } from "./definition";
import type { Conflict, Question } from "./saveMerging";

type Side = "mine" | "theirs";

/** How the dialog speaks. */
interface ConflictWords {
  /** @param fields `field was` or `fields were`. */
  intro: (fields: string) => string;
  /** What the other side of what is now is called. */
  mine: string;
  abandon: string;
  decide: string;
}

const OF_EDITING: ConflictWords = {
  intro: (fields) =>
    `While you were editing, the same ${fields} changed elsewhere. Choose what is to be saved.`,
  mine: "Mine",
  abandon: "Keep editing",
  decide: "Save",
};

interface ConflictDialogProps {
  question: Question;
  words?: ConflictWords | undefined;
  isOpen: boolean;
  /** Called with what each disputed field is to be. */
  onDecide: (decided: FormValues) => void;
  /** Back to the form, with all that was typed. */
  onAbandon: () => void;
}

/** Field by field: what I have, what it is now, and who made it so. Nothing is chosen beforehand. */
function ConflictDialog(props: ConflictDialogProps) {
  const { question, words = OF_EDITING, isOpen, onDecide, onAbandon } = props;
  const { conflicts, taken } = question;
  const [sides, setSides] = useState<Readonly<Record<string, Side>>>({});
  const [isMissing, setMissing] = useState(false);
  const introId = useId();
  const form = useRef<HTMLFormElement>(null);
  const formId = useId();

  const decide = () => {
    const open = conflicts.find(({ spec }) => sides[spec.name] === undefined);
    setMissing(open !== undefined);
    if (open) {
      form.current?.querySelector<HTMLElement>(`input[name="${CSS.escape(open.spec.name)}"]`)?.focus();
      return;
    }
    const decided = conflicts.map(({ spec, mine, theirs }) => [
      spec.name,
      sides[spec.name] === "mine" ? mine : theirs,
    ]);
    onDecide(Object.fromEntries(decided));
  };

  return (
    <Dialog
      isOpen={isOpen}
      title="Changed elsewhere meanwhile"
      aria-describedby={introId}
      isCloseButtonShown={false}
      canOutsideClickClose={false}
      onClose={onAbandon}
      onOpened={() => form.current?.querySelector("input")?.focus()}
      className={styles.dialog}
      portalClassName={styles.portal}
    >
      <DialogBody>
        <p id={introId}>{words.intro(conflicts.length === 1 ? "field was" : "fields were")}</p>
        <form
          ref={form}
          id={formId}
          className="fl-stack"
          onSubmit={(event) => {
            // React hands the event on to the record's form, which is not what is submitted here.
            event.preventDefault();
            event.stopPropagation();
            decide();
          }}
        >
          {conflicts.map((conflict) => (
            <ConflictField
              key={conflict.spec.name}
              conflict={conflict}
              mineLabel={words.mine}
              side={sides[conflict.spec.name]}
              isMissing={isMissing}
              onChoose={(side) => setSides((current) => ({ ...current, [conflict.spec.name]: side }))}
            />
          ))}
        </form>
        {taken.length > 0 && (
          <p className={styles.taken}>Changed elsewhere only, and kept: {taken.join(", ")}.</p>
        )}
      </DialogBody>
      <DialogFooter
        actions={
          <>
            <Button text={words.abandon} onClick={onAbandon} />
            <Button type="submit" form={formId} intent="primary" text={words.decide} />
          </>
        }
      />
    </Dialog>
  );
}

interface ConflictFieldProps {
  conflict: Conflict;
  mineLabel: string;
  side: Side | undefined;
  /** Whether to point out that nothing is chosen yet. */
  isMissing: boolean;
  onChoose: (side: Side) => void;
}

function ConflictField({
  conflict: { spec, mine, theirs, change },
  mineLabel,
  side,
  isMissing,
  onChoose,
}: ConflictFieldProps) {
  const errorId = useId();
  const lacks = isMissing && side === undefined;
  const radio = (own: Side) => ({
    name: spec.name,
    value: own,
    checked: side === own,
    onChange: () => onChoose(own),
    className: styles.choice ?? "",
    "aria-describedby": lacks ? errorId : undefined,
  });
  return (
    <fieldset className={styles.conflict}>
      <legend>{spec.label}</legend>
      <Radio {...radio("mine")}>
        <span className={styles.version}>
          <span className="fl-remark">{mineLabel}</span> <FieldValue spec={spec} value={mine} />
        </span>
      </Radio>
      <Radio {...radio("theirs")}>
        <span className={styles.version}>
          <span className="fl-remark">
            Now
            {change && (
              <>
                , by <ChangeAuthor change={change} />
              </>
            )}
          </span>{" "}
          <FieldValue spec={spec} value={theirs} />
        </span>
      </Radio>
      {lacks && (
        <p id={errorId} className={styles.error}>
          Choose one of the two.
        </p>
      )}
    </fieldset>
  );
}

/** A question put to the user while a command waits for the answer. */
export function useQuestion<Question, Answer>() {
  const [asked, setAsked] = useState<{ question: Question; number: number }>();
  const [isOpen, setOpen] = useState(false);
  const settle = useRef<(answer: Answer | undefined) => void>(undefined);
  return {
    /** Undefined until there is one; a dialog that closes still shows the last. */
    asked,
    isOpen,
    /** Rejects with {@link SaveAbandoned} when the user would rather not. */
    ask: (question: Question) =>
      new Promise<Answer>((resolve, reject) => {
        setAsked((last) => ({ question, number: (last?.number ?? 0) + 1 }));
        setOpen(true);
        settle.current = (answer) => (answer === undefined ? reject(new SaveAbandoned()) : resolve(answer));
      }),
    answer: (answer: Answer | undefined) => {
      setOpen(false);
      settle.current?.(answer);
    },
  };
}

/** Lets a save wait for the user's decision: the dialog is to be rendered beside the form. */
export function useConflictDialog(words?: ConflictWords) {
  const { asked, isOpen, ask, answer } = useQuestion<Question, FormValues>();
  const dialog = asked && (
    <ConflictDialog
      key={asked.number}
      question={asked.question}
      words={words}
      isOpen={isOpen}
      onDecide={answer}
      onAbandon={() => answer(undefined)}
    />
  );
  return { decide: ask, dialog };
}
