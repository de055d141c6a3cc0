import { useSWRConfig } from "swr";
import { apiClient } from "@/shared/api/client";
import { isDuplicatesPath, type Pair, titleOf } from "@/shared/duplicates/duplicates";
import { FormDialog } from "@/shared/form/FormDialog";
import { useCommand } from "@/shared/form/useCommand";
import { useReason } from "@/shared/form/useReason";
import type { RecordDefinition } from "@/shared/records";
import { recordPath } from "@/shared/records/definition";
import { toast } from "@/shared/toast";
import { keepFocus } from "@/shared/ui/ConfirmDialog";

/** Return a command that dismisses a pair, or lists it again, and returns whether that is done. */
export function useDismissal({ api }: RecordDefinition) {
  const { mutate } = useSWRConfig();
  const { run } = useCommand();
  return function change(pair: Pair, dismissed: boolean, reason?: string): Promise<boolean> {
    const { first, second } = pair;
    const body = { other: second.id, dismissed };
    const path = `${recordPath(api, first.id)}/dismissals`;
    return run(dismissed ? "Failed to dismiss" : "Failed to list again", async (keyed) => {
      await keyed([path, body, reason], (idempotencyKey) =>
        apiClient.post(path, body, { idempotencyKey, reason }),
      );
      const undo = { text: "Undo", onSelect: () => void change(pair, false) };
      toast.show({
        title: dismissed ? "Dismissed" : "Listed Again",
        record: titleOf(pair),
        intent: "success",
        actions: dismissed ? [undo] : [],
      });
      await mutate(isDuplicatesPath);
    });
  };
}

interface DismissDialogProps {
  definition: RecordDefinition;
  pair: Pair;
  onClose: () => void;
}

/** Asks why two records are no duplicates. */
export function DismissDialog({ definition, pair, onClose }: DismissDialogProps) {
  const dismiss = useDismissal(definition);
  const reason = useReason();
  const send = async () => {
    const given = reason.read();
    if (given === undefined || !(await dismiss(pair, true, given))) return false;
    onClose();
    return true;
  };
  return (
    <FormDialog
      title="Dismiss Possible Duplicate"
      submitLabel="Dismiss"
      busyLabel="Dismissing..."
      send={send}
      onClose={onClose}
      onClosed={keepFocus}
    >
      <p>{titleOf(pair)} stay as they are, and are no longer listed as possible duplicates.</p>
      {reason.field}
    </FormDialog>
  );
}
