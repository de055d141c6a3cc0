import { Button } from "@blueprintjs/core";
import { useEffect, useRef, useState } from "react";
import { refusalText } from "@/shared/auth/refusal";
import { toast } from "@/shared/toast/toastStore";

/** What a task needs to be cancelled and to report its progress. */
export interface Task {
  signal: AbortSignal;
  onProgress: (done: number) => void;
}

type Failure = { title: string; message: string } | ((error: unknown) => void);

/** Run tasks one at a time and report failures, by a toast or a function; leaving the screen aborts the task. */
export function useTask() {
  const [done, setDone] = useState<number>();
  const controller = useRef<AbortController | null>(null);
  useEffect(() => () => controller.current?.abort(), []);

  const run = async (work: (task: Task) => Promise<void>, failure: Failure) => {
    const started = new AbortController();
    controller.current = started;
    const { signal } = started;
    setDone(0);
    try {
      await work({ signal, onProgress: setDone });
    } catch (error) {
      if (signal.aborted) return;
      if (typeof failure === "function") failure(error);
      else {
        toast.show({ ...failure, message: refusalText(error) ?? failure.message, intent: "danger" });
      }
    } finally {
      setDone(undefined);
    }
  };
  return { isUnderWay: done !== undefined, done: done ?? 0, run, cancel: () => controller.current?.abort() };
}

/** The progress of a task, and a button to cancel it. */
export function TaskProgress(props: { text: string; onCancel: () => void; size?: "small" }) {
  const { text, onCancel, ...button } = props;
  return (
    <>
      <span className="fl-muted">{text}</span>
      <Button {...button} variant="minimal" text="Cancel" onClick={onCancel} />
    </>
  );
}
