import { useRef } from "react";
import { ApiError } from "@/shared/api/client";
import type { FormValues, SendKeyed } from "@/shared/form";
import { useCommandKey } from "@/shared/form/useCommandKey";
import { formatMoment } from "@/shared/format/MomentText";
import { type Saved, useRecordCommands } from "@/shared/records/useRecordCommands";
import { toast } from "@/shared/toast";
import type { WireAssignment } from "./assignments";
import { definition } from "./definition";

/** A swap that cannot be done; the message is meant for the user. */
export class SwapRefused extends Error {}

/**
 * Return a command that ends an assignment when a new one starts. If the new one is refused, the end is undone. After a
 * request without an answer, the end stays, and the next attempt continues.
 */
export function useSwap() {
  const { add, update, reload, undo } = useRecordCommands(definition);
  const undoing = useCommandKey();
  /** The end of the former assignment that this swap has recorded, and its version. */
  const ended = useRef<{ at: string; version: number | undefined }>(undefined);

  const undoEnd = async ({ id }: WireAssignment) => {
    const version = ended.current?.version;
    if (version !== undefined) await undoing({ id, version }, (key) => undo(id, version, key));
    ended.current = undefined;
  };

  return async (former: WireAssignment, values: FormValues, keyed: SendKeyed): Promise<Saved> => {
    const at = values.starts_at ?? "";
    if (Date.parse(at) <= Date.parse(former.starts_at)) {
      throw new SwapRefused("The new assignment must start after the present one");
    }
    if (ended.current?.at !== at) {
      if (ended.current) await undoEnd(former);
      const loaded = await reload(former.id);
      if (loaded.values.ends_at !== (former.ends_at ?? "")) {
        throw new SwapRefused(
          "The end of the present assignment was changed meanwhile. Close this dialog and try again",
        );
      }
      const changed = { ...loaded.values, ends_at: at };
      const { made } = await keyed({ id: former.id, changed }, (key) => update(loaded, changed, key));
      ended.current = { at, version: made };
    }
    try {
      const saved = await keyed(values, (key) => add(values, key));
      const message = `The former assignment ends ${formatMoment(at, false)}.`;
      toast.show({ title: "Assignments Swapped", message, intent: "success" });
      return saved;
    } catch (error) {
      // Without an answer, the new assignment may exist.
      if (!(error instanceof ApiError) || error.status >= 500) throw error;
      try {
        await undoEnd(former);
      } catch {
        throw new SwapRefused(
          `The new assignment was refused: ${error.message} The present one now ends ${formatMoment(at, false)}, because undoing its end failed. Undo it in its history`,
        );
      }
      throw error;
    }
  };
}
