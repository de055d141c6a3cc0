import { useCommand } from "@/shared/form/useCommand";
import { toast } from "@/shared/toast";
import { type LoadedRecord, type QuickChange, type RecordDefinition, valueSetBy } from "./definition";
import { undoAction } from "./undo/undoStore";
import { useRecordCommands } from "./useRecordCommands";

/** Return a command that makes a quick change and returns whether it succeeded; the toast offers to undo it. */
export function useQuickChange(definition: RecordDefinition) {
  const { api, texts, heading } = definition;
  const { update } = useRecordCommands(definition);
  const { isBusy, run } = useCommand();
  const change = (quick: QuickChange, load: () => LoadedRecord | Promise<LoadedRecord>) =>
    run(texts.updateFailed, async (keyed) => {
      const loaded = await load();
      const { id, values, hidden } = loaded;
      const sent = { ...values, [quick.field]: valueSetBy(quick) };
      const { made } = await keyed(sent, (key) => update(loaded, sent, key));
      const record = heading(values, id, hidden).title || id;
      const actions = [undoAction(made, { entity: api.noun, id, what: quick.done, record })];
      toast.show({ title: quick.done, record, intent: "success", actions });
    });
  return { isBusy, change };
}
