import { Button } from "@blueprintjs/core";
import { type ReactElement, useEffect, useRef, useState } from "react";
import { ApiError, apiClient, RequestError } from "@/shared/api/client";
import { refusalText } from "@/shared/auth/refusal";
import { useCommandKey } from "@/shared/form/useCommandKey";
import { toast } from "@/shared/toast";
import { ConfirmDialog } from "@/shared/ui";
import { type Action, isUnderWay } from "./systemState";

/** An action to confirm. */
interface Question {
  kind: Action["kind"];
  target: string | null;
  /** Its effect. */
  message: string;
}

const NAMES = { retry: "Retry", rebuild: "Rebuild", verify: "Verify" } as const;

/** `Rebuild drivers`. */
export function actionName({ kind, target }: Pick<Action, "kind" | "target">): string {
  if (target !== null) return `${NAMES[kind]} ${target}`;
  return kind === "verify" ? "Verify the log" : `${NAMES[kind]} all`;
}

/**
 * Confirms an action, requests it, and shows its result while the screen is open.
 * @param actions from the server.
 * @param refresh reads them again.
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
      // A retry without a response has the same key; a request after an accepted one has a new key.
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
      const title = `${actionName({ kind, target })}: not started`;
      toast.show({ title, message: reasonOf(error), intent: "danger" });
    }
    // The screen shows the action before the dialog closes, so that it cannot be requested twice.
    await refresh().catch(() => undefined);
    setAsking(false);
    setOpen(false);
  };

  const dialog = question && (
    <ConfirmDialog
      isOpen={isOpen}
      title={`${actionName(question)}?`}
      message={`${question.message} This request is logged.`}
      confirmLabel={actionName(question)}
      busyLabel="Sending..."
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

/** Opens the confirmation of an action. */
export type Ask = (question: Question) => void;

function reasonOf(error: unknown): string {
  const refusal = refusalText(error);
  if (refusal !== undefined) return refusal;
  if (error instanceof ApiError && error.status === 409) return "This action is already running.";
  if (error instanceof RequestError) return error.message;
  throw error;
}

interface AskButtonProps {
  question: Question;
  /** From the server. */
  actions: readonly Action[];
  icon?: ReactElement;
  ask: Ask;
}

/** The button of an action, which shows whether the action is running. */
export function AskButton({ question, actions, icon, ask }: AskButtonProps) {
  const running = underWay(actions, question.kind, question.target);
  const isBusy = running !== undefined;
  const busyText = running?.state === "asked" ? "Requested..." : "Running...";
  return (
    <Button
      size="small"
      {...(icon && { icon })}
      text={isBusy ? busyText : NAMES[question.kind]}
      aria-label={isBusy ? `${actionName(question)}: ${busyText}` : actionName(question)}
      // Not `disabled`, which would lose the focus.
      aria-disabled={isBusy}
      aria-busy={isBusy}
      onClick={() => {
        if (!isBusy) ask(question);
      }}
    />
  );
}

/** The action of a kind and target that is requested or running. */
export function underWay(
  actions: readonly Action[],
  kind: Action["kind"],
  target: string | null,
): Action | undefined {
  return actions.find(
    (action) => action.kind === kind && (action.target ?? target) === target && isUnderWay(action),
  );
}
