import { type ReactNode, useRef, useState } from "react";
import { SaveAbandoned } from "@/shared/form";
import { ConflictDialog, type ConflictWords } from "./ConflictDialog";
import type { FormValues } from "./definition";
import type { Question } from "./saveMerging";

interface Pending {
  resolve: (decided: FormValues) => void;
  reject: (reason: SaveAbandoned) => void;
}

interface ConflictDecision {
  /** Opens the dialog; rejects with {@link SaveAbandoned} when the user goes back to the form. */
  decide: (question: Question) => Promise<FormValues>;
  /** To be rendered beside the form. */
  dialog: ReactNode;
}

/** Lets a save wait for the user's decision. */
export function useConflictDialog(words?: ConflictWords): ConflictDecision {
  const [question, setQuestion] = useState<{ text: Question; number: number } | null>(null);
  const [isOpen, setOpen] = useState(false);
  const pending = useRef<Pending>(undefined);

  const decide = (text: Question) => {
    setQuestion((last) => ({ text, number: (last?.number ?? 0) + 1 }));
    setOpen(true);
    return new Promise<FormValues>((resolve, reject) => {
      pending.current = { resolve, reject };
    });
  };

  const dialog = question && (
    <ConflictDialog
      key={question.number}
      question={question.text}
      words={words}
      isOpen={isOpen}
      onDecide={(decided) => {
        setOpen(false);
        pending.current?.resolve(decided);
      }}
      onAbandon={() => {
        setOpen(false);
        pending.current?.reject(new SaveAbandoned());
      }}
    />
  );

  return { decide, dialog };
}
