import { useRef, useState } from "react";
import { useAuthStore } from "@/shared/auth/authStore";
import { SaveAbandoned } from "@/shared/form";
import { FormDialog } from "@/shared/form/FormDialog";
import { MomentText } from "@/shared/format/MomentText";
import styles from "./ConflictDialog.module.css";
import type { FormValues } from "./definition";
import type { Conflict, Question } from "./merge";
import { ValueChoice } from "./ValueChoice";

type Side = "mine" | "theirs";

const OF_EDITING = {
  intro: "Choose which value to keep.",
  /** Label of the value that is not the current one. */
  mine: "Your value",
  abandon: "Keep editing",
  decide: "Save",
};

interface ConflictDialogProps {
  noun: string;
  question: Question;
  words: typeof OF_EDITING;
  isOpen: boolean;
  /** Called with the chosen value of each field. */
  onDecide: (decided: FormValues) => void;
  /** Return to the form with everything typed. */
  onAbandon: () => void;
}

/** Asks for each field in conflict which value to keep. Nothing is chosen in advance. */
function ConflictDialog(props: ConflictDialogProps) {
  const { noun, question, words, isOpen, onDecide, onAbandon } = props;
  const { conflicts, taken } = question;
  const [sides, setSides] = useState<Readonly<Record<string, Side>>>({});
  const [isMissing, setMissing] = useState(false);
  const fields = useRef<HTMLDivElement>(null);

  const decide = () => {
    const open = conflicts.find(({ spec }) => sides[spec.name] === undefined);
    setMissing(open !== undefined);
    if (open) {
      fields.current?.querySelector<HTMLElement>(`input[name="${CSS.escape(open.spec.name)}"]`)?.focus();
      return false;
    }
    const decided = conflicts.map(({ spec, mine, theirs }) => [
      spec.name,
      sides[spec.name] === "mine" ? mine : theirs,
    ]);
    onDecide(Object.fromEntries(decided));
    return false;
  };

  return (
    <FormDialog
      isOpen={isOpen}
      title={`Someone else changed this ${noun}`}
      intro={words.intro}
      submitLabel={words.decide}
      cancelLabel={words.abandon}
      send={decide}
      onClose={onAbandon}
      portalClassName={styles.portal}
    >
      <div ref={fields} className="fl-stack">
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
      </div>
      {taken.length > 0 && <p className="fl-muted">Also updated by others (kept): {taken.join(", ")}.</p>}
    </FormDialog>
  );
}

interface ConflictFieldProps {
  conflict: Conflict;
  mineLabel: string;
  side: Side | undefined;
  /** Point out that nothing is chosen. */
  isMissing: boolean;
  onChoose: (side: Side) => void;
}

function ConflictField({ conflict, mineLabel, side, isMissing, onChoose }: ConflictFieldProps) {
  const { spec, original, mine, theirs, change } = conflict;
  const ownSub = useAuthStore(({ user }) => user?.sub);
  const author = change && (
    <>
      {change.actor.sub === ownSub
        ? "Value from your other window"
        : `${change.actor.name ?? change.actor.sub}'s value`}
      , <MomentText moment={change.moment} />
    </>
  );
  return (
    <ValueChoice
      spec={spec}
      sides={[
        { side: "mine", label: mineLabel, value: mine },
        { side: "theirs", label: author ?? "Current value", value: theirs },
      ]}
      original={original}
      chosen={side}
      error={isMissing && side === undefined && "Choose one of the two."}
      onChoose={onChoose}
    />
  );
}

/** A question to the user while a command waits for the answer. */
export function useQuestion<Question, Answer>() {
  const [asked, setAsked] = useState<{ question: Question; number: number }>();
  const [isOpen, setOpen] = useState(false);
  const settle = useRef<(answer: Answer | undefined) => void>(undefined);
  return {
    /** Undefined before the first question; a closing dialog still shows the last one. */
    asked,
    isOpen,
    /** Rejects with {@link SaveAbandoned} if the user cancels. */
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

/** Let a save wait for the user's decision; the dialog is rendered next to the form. */
export function useConflictDialog(noun: string, words = OF_EDITING) {
  const { asked, isOpen, ask, answer } = useQuestion<Question, FormValues>();
  const dialog = asked && (
    <ConflictDialog
      key={asked.number}
      noun={noun}
      question={asked.question}
      words={words}
      isOpen={isOpen}
      onDecide={answer}
      onAbandon={() => answer(undefined)}
    />
  );
  return { decide: ask, dialog };
}
