import { useLocation, useNavigate } from "react-router";
import { editPath, type RecordPaths } from "./paths";

/** By its history entry and record: the page whose Edit button led to a form last. */
let leftFor: string | undefined;

/** Leads from a record's page to its form, which has an address of its own: Back leads here again. */
export function useEditing(paths: RecordPaths, id: string) {
  const { key, state } = useLocation();
  const navigate = useNavigate();
  const here = `${key} ${id}`;
  return {
    /** Whether the reader comes back from the form. */
    isBack: leftFor === here,
    edit: () => {
      leftFor = here;
      navigate(editPath(paths, id), { state: { ...asObject(state), [FROM_PAGE]: true } });
    },
  };
}

/** Leads from the form back to the page it was opened from; undefined where it was opened otherwise. */
export function useWayBack(): (() => void) | undefined {
  const state = asObject(useLocation().state);
  const navigate = useNavigate();
  return state[FROM_PAGE] === true ? () => navigate(-1) : undefined;
}

/** Marks a history entry: the one before it is the record's page. */
const FROM_PAGE = "isFromPage";

function asObject(state: unknown): Record<string, unknown> {
  return typeof state === "object" && state !== null ? { ...state } : {};
}
