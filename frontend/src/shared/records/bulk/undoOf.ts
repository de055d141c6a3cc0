import { toast } from "@/shared/toast";
import type { RecordDefinition } from "../definition";
import type { BulkState } from "./bulkRun";
import { askBulk, type BulkRequest } from "./bulkStore";
import { countOutcomes } from "./outcomes";
import { counted, summaryOf, undoText } from "./words";

/** Takes back what a run has done. */
export function undoOf({ api }: RecordDefinition, { what, rows }: BulkState): BulkRequest {
  const records = rows.flatMap(({ id, name, outcome, version }) =>
    outcome === "done" && version !== null ? [{ id, name, version }] : [],
  );
  return { entity: api.noun, what: what === "undo" ? "redo" : "undo", records };
}

/** Says in a toast what has come of a run, and offers to take it back. */
export function tellEnd(definition: RecordDefinition, state: BulkState): void {
  const { noun } = definition.api;
  const left = state.rows.length - countOutcomes(state.rows).done;
  toast.show({
    title: summaryOf(state, noun).replace(/\.$/, ""),
    message: left > 0 ? `${counted(left, noun)} left as they were.` : undefined,
    intent: "success",
    action: { text: undoText(state.what), onSelect: () => askBulk(undoOf(definition, state)) },
  });
}
