import { useEffect, useRef } from "react";
import { useSWRConfig } from "swr";
import { useAuthStore } from "@/shared/auth/authStore";
import { usePermission } from "@/shared/auth/permissions";
import { refusalText } from "@/shared/auth/refusal";
import { SaveAbandoned } from "@/shared/form";
import { useCommandKey } from "@/shared/form/useCommandKey";
import { toast } from "@/shared/toast";
import { ConfirmDialog } from "@/shared/ui";
import { useConflictDialog, useQuestion } from "../ConflictDialog";
import { authorName } from "../changes";
import type { RecordDefinition } from "../definition";
import { useRecordCommands } from "../useRecordCommands";
import { type Objection, RemovedSince, undoWithMerge } from "./execution";
import { endUndo, type UndoRequest, undoAction } from "./undoStore";

/** Runs an undo, asks about conflicts and reports the result in a toast. */
export function UndoRunner({ definition, request }: { definition: RecordDefinition; request: UndoRequest }) {
  const { api } = definition;
  const { id, entity, what, record, isUndo = false } = request;
  const commands = useRecordCommands(definition);
  const keyed = useCommandKey();
  const { mutate } = useSWRConfig();
  const seesPast = usePermission("history:read");
  const ownSub = useAuthStore(({ user }) => user?.sub);
  const { decide, dialog } = useConflictDialog(api.noun, WORDS);
  const confirmation = useQuestion<Objection, true>();
  const isBegun = useRef(false);

  const undo = async () => {
    try {
      const made = await undoWithMerge({
        ...{ definition, request, commands, keyed, seesPast, decide, confirm: confirmation.ask },
      });
      const title = `${isUndo ? "Redone" : "Undone"}: ${what}`;
      const actions = [undoAction(made, { entity, id, what, record, isUndo: !isUndo })];
      if (made === undefined)
        toast.show({ title: "Nothing to undo", message: "The change is already undone." });
      else toast.show({ title, record, intent: "success", actions });
      await mutate((key) => /^\/api\/v1\/(audit|possible-duplicates)/.test(String(key)));
    } catch (error) {
      if (!(error instanceof SaveAbandoned)) {
        toast.show({ title: "Failed to undo", message: reasonOf(error), intent: "danger" });
      }
    } finally {
      endUndo(request);
    }
  };

  const reasonOf = (error: unknown) => {
    if (error instanceof RemovedSince) {
      const by = error.by ? ` by ${authorName(error.by, ownSub)}` : "";
      return `The ${api.noun} has been removed${by}.`;
    }
    return refusalText(error) ?? "Please try again.";
  };

  useEffect(() => {
    if (isBegun.current) return;
    isBegun.current = true;
    void undo();
  });

  const { removes = false, fields = [], since = [] } = confirmation.asked?.question ?? {};
  const names = [...new Set(since.map((change) => authorName(change, ownSub)))].join(", ");
  const list = fields.length > 0 ? ` (${fields.join(", ")})` : "";
  return (
    <>
      {dialog}
      <ConfirmDialog
        isOpen={confirmation.isOpen}
        title="Changed since"
        message={`${names || "Someone else"} changed this ${api.noun} since${list}. ${
          removes ? `Undo removes the ${api.noun} with these changes.` : "Undo anyway?"
        }`}
        confirmLabel={removes ? "Remove" : "Undo"}
        onConfirm={() => confirmation.answer(true)}
        onCancel={() => confirmation.answer(undefined)}
      />
    </>
  );
}

const WORDS = {
  intro: "Choose which value to keep. Other changes stay.",
  mine: "Previous value",
  abandon: "Cancel",
  decide: "Undo",
};
