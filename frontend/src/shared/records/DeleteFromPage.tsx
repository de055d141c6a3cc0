import { useNavigate } from "react-router";
import { DeleteRecordDialog } from "./DeleteRecordDialog";
import type { LoadedRecord, RecordDefinition } from "./definition";
import { useListAddress } from "./paths";

interface DeleteFromPageProps {
  definition: RecordDefinition;
  /** What to delete; null while nothing is to be. */
  loaded: LoadedRecord | null;
  onClose: () => void;
}

/** Asks before the record of a page is deleted, in the list's words; then leads to the list. */
export function DeleteFromPage({ definition: { api, list, paths }, loaded, onClose }: DeleteFromPageProps) {
  const navigate = useNavigate();
  const listAddress = useListAddress(paths);
  if (list === undefined) return null;
  return (
    <DeleteRecordDialog
      api={api}
      texts={list.texts}
      record={loaded && { id: loaded.id, name: list.nameOf(api.toRow(loaded.wire)) || loaded.id }}
      onClose={onClose}
      // Back must not lead to what there is no more.
      onDeleted={() => navigate(listAddress, { replace: true })}
    />
  );
}
