import { Button, type ButtonProps } from "@blueprintjs/core";
import { Stop } from "@blueprintjs/icons";
import { useState } from "react";
import { failureText } from "@/shared/auth/refusal";
import { useCommandKey } from "@/shared/form/useCommandKey";
import { undoAction } from "@/shared/records/undo/undoStore";
import { useRecordCommands } from "@/shared/records/useRecordCommands";
import { toast } from "@/shared/toast";
import { definition } from "./definition";

interface EndButtonProps extends Pick<ButtonProps, "size"> {
  /** The id of the assignment. */
  id: string;
  onBegin?: () => void;
  onDone?: () => void;
}

/** Ends an assignment now, without a reason; the toast offers to undo it. */
export function EndButton({ id, onBegin, onDone, ...button }: EndButtonProps) {
  const { reload, update } = useRecordCommands(definition);
  const keyed = useCommandKey();
  const [isBusy, setBusy] = useState(false);
  const end = async () => {
    onBegin?.();
    setBusy(true);
    try {
      const loaded = await reload(id);
      const values = { ...loaded.values, ends_at: new Date().toISOString() };
      const { made } = await keyed(values, (key) => update(loaded, values, key));
      const title = "Assignment Ended";
      const record = definition.heading(values, id, loaded.hidden).title;
      const actions = [undoAction(made, { entity: "assignment", id, what: title, record })];
      toast.show({ title, record, intent: "success", actions });
      onDone?.();
    } catch (error) {
      toast.show({ title: definition.texts.updateFailed, message: failureText(error), intent: "danger" });
    } finally {
      setBusy(false);
    }
  };
  return <Button {...button} icon={<Stop />} text="End now" loading={isBusy} onClick={() => void end()} />;
}
