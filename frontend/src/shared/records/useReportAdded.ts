import { useNavigate } from "react-router";
import { permissionTo, usePermission } from "@/shared/auth/permissions";
import { NOTHING_HIDDEN } from "@/shared/form";
import { toast } from "@/shared/toast";
import type { FormValues, RecordDefinition } from "./definition";
import { viewPath } from "./paths";
import { undoAction } from "./undo/undoStore";
import type { Saved } from "./useRecordCommands";

/** Return a function that shows a toast about an added record, with View and Undo. */
export function useReportAdded({ api, texts, paths, heading }: RecordDefinition) {
  const navigate = useNavigate();
  const mayUndo = usePermission(permissionTo("remove", api));
  return ({ id, made }: Saved, values: FormValues) => {
    const record = heading(values, id, NOTHING_HIDDEN).title || id;
    const view = { text: "View", onSelect: () => void navigate(viewPath(paths, id)) };
    const change = { entity: api.noun, id, what: texts.added.title, record };
    const undo = undoAction(mayUndo ? made : undefined, change);
    toast.show({ ...texts.added, record, intent: "success", actions: [view, undo] });
  };
}
