import { Button } from "@blueprintjs/core";
import { type ReactElement, useEffect, useRef, useState } from "react";
import { ApiError, apiClient, RequestError } from "@/shared/api/client";
import { refusalText } from "@/shared/auth/refusal";
import { useCommandKey } from "@/shared/form/useCommandKey";
import { toast } from "@/shared/toast";
import { ConfirmDialog } from "@/shared/ui";
import { type Action, isUnderWay } from "./wire";

/** Something that an operator may have done, and what they are told before. */
export interface Question {
  kind: Action["kind"];
  target: string | null;
  /** What happens then. */
  message: string;
}

const NAMES = { retry: "Retry", rebuild: "Rebuild", verify: "Verify" } as const;

/** `Rebuild drivers`. */
export function actionName({ kind, target }: Pick<Action, "kind" | "target">): string {
  if (target !== null) return `${NAMES[kind]} ${target}`;
  return kind === "verify" ? "Verify the log" : `${NAMES[kind]} all`;
}

/**
 * Asks before something is done, has it done, and says what came of it while the screen is open.
 * @param actions those that the server tells of.
 * @param refresh asks the server again.
 */
export function useActions(actions: readonly Action[], refresh: () => Promise<unknown>) {
  const [question, setQuestion] = useState<Question>();
  const [isOpen, setOpen] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const mine = useRef(new Set<string>());
  const keyed = useCommandKey();
  const accepted = useRef(0);

  useEffect(() => {
    for (const action of actions) {
      if (isUnderWay(action) || !mine.current.delete(action.id)) continue;
      const isDone = action.state === "done";
      toast.show({
        title: `${actionName(action)}: ${isDone ? "done" : "failed"}`,
        message: action.words ?? undefined,
        intent: isDone ? "success" : "danger",
      });
    }
  }, [actions]);

  const send = async ({ kind, target }: Question) => {
    setAsking(true);
    try {
      // What was accepted and is asked for again is to be done once more; without an answer it is the same request.
      await keyed({ kind, target, accepted: accepted.current }, async (idempotencyKey) => {
        const { data } = await apiClient.post<Action>(
          "/api/v1/system/actions",
          { kind, target },
          { idempotencyKey },
        );
        mine.current.add(data.id);
        accepted.current += 1;
      });
    } catch (error) {
      const title = `${actionName({ kind, target })}: not begun`;
      toast.show({ title, message: reasonOf(error), intent: "danger" });
    }
    // The screen knows of it before the dialog goes, so that it cannot be asked for twice.
    await refresh().catch(() => undefined);
    setAsking(false);
    setOpen(false);
  };

  const dialog = question && (
    <ConfirmDialog
      isOpen={isOpen}
      title={`${actionName(question)}?`}
      message={`${question.message} That you asked for it is recorded.`}
      confirmLabel={actionName(question)}
      busyLabel="Asking..."
      isBusy={isAsking}
      intent="primary"
      onConfirm={() => void send(question)}
      onCancel={() => setOpen(false)}
    />
  );
  const ask: Ask = (asked) => {
    setQuestion(asked);
    setOpen(true);
  };
  return { ask, dialog };
}

/** Asks somebody whether something is to be done. */
export type Ask = (question: Question) => void;

function reasonOf(error: unknown): string {
  const refusal = refusalText(error);
  if (refusal !== undefined) return refusal;
  if (error instanceof ApiError && error.status === 409) return "It is under way already.";
  if (error instanceof RequestError) return error.message;
  throw error;
}

interface AskButtonProps {
  question: Question;
  /** The same while it is asked for or done. */
  underWay: Action | undefined;
  icon?: ReactElement;
  ask: Ask;
}

/** Offers an action; while it is under way already, that is said in its place. */
export function AskButton({ question, underWay, icon, ask }: AskButtonProps) {
  const isBusy = underWay !== undefined;
  const busyText = underWay?.state === "asked" ? "Asked..." : "Under way...";
  return (
    <Button
      size="small"
      {...(icon && { icon })}
      text={isBusy ? busyText : NAMES[question.kind]}
      aria-label={isBusy ? `${actionName(question)}: ${busyText}` : actionName(question)}
      // Not disabled: that would lose the focus.
      aria-disabled={isBusy}
      aria-busy={isBusy}
      onClick={() => {
        if (!isBusy) ask(question);
      }}
    />
  );
}
