import { Button } from "@blueprintjs/core";
import { Print } from "@blueprintjs/icons";
import { type ReactNode, useState } from "react";
import { useScreenActions } from "@/shared/actions";
import { grouped } from "@/shared/format/counted";
import { type Shortcut, useShortcut } from "@/shared/keys";
import { type Task, TaskProgress, useTask } from "@/shared/table/useTask";
import { toast } from "@/shared/toast/toastStore";

/** A document for paper. */
export interface Printed {
  /** The screen, with a record's name. */
  title: string;
  /** Lines below the title by label; lines without a value are omitted. */
  facts: Readonly<Record<string, ReactNode>>;
  /** Printed across the paper's long side. */
  isWide?: boolean;
  content: ReactNode;
}

/** The largest number of rows of a document. */
export const MAX_PRINTED = 10_000;

const PRINT_KEYS: Shortcut = {
  keys: ["Control+P", "Meta+P"],
  does: "Print",
  group: "Everywhere",
  // The screens are hidden until the user signs in again.
  isActive: () => !document.body.classList.contains("fl-interrupted"),
};

interface PrintButtonProps {
  isDisabled?: boolean;
  size?: "small";
  /** Load the document; undefined if it has more than {@link MAX_PRINTED} rows. */
  load: (task: Task) => Promise<Printed | undefined>;
}

/** Prints a screen as a document, also by the browser's keys. */
export function PrintButton({ isDisabled = false, load, ...size }: PrintButtonProps) {
  const { isUnderWay, done, run, cancel } = useTask();
  const [printed, setPrinted] = useState<ReactNode>();

  const print = () => {
    if (isDisabled || isUnderWay) return;
    void run(
      async (task) => {
        const [{ PrintDocument }, loaded] = await Promise.all([import("./PrintDocument"), load(task)]);
        if (task.signal.aborted) return;
        if (loaded) setPrinted(<PrintDocument {...loaded} onPrinted={() => setPrinted(undefined)} />);
        else toast.show({ title: "Too many rows to print", message: TOO_MANY, intent: "danger" });
      },
      { title: "Failed to print", message: "Nothing was printed. Please try again." },
    );
  };
  useShortcut(PRINT_KEYS, print);
  useScreenActions(isDisabled ? [] : [{ text: "Print", icon: <Print />, onSelect: print }]);
  return (
    <>
      <Button
        {...size}
        icon={<Print />}
        text="Print"
        disabled={isDisabled}
        // Not disabled, which would lose the focus.
        aria-disabled={isUnderWay}
        aria-busy={isUnderWay}
        aria-keyshortcuts={PRINT_KEYS.keys.join(" ")}
        onClick={print}
      />
      {done > 0 && <TaskProgress {...size} text={`${grouped.format(done)} rows`} onCancel={cancel} />}
      {printed}
    </>
  );
}

const TOO_MANY =
  `At most ${grouped.format(MAX_PRINTED)} rows can be printed. ` +
  "Narrow the list with filters, or use Download CSV, which has all rows.";
