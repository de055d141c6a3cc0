import { Button } from "@blueprintjs/core";
import { Edit, Trash } from "@blueprintjs/icons";
import { useEffect, useRef } from "react";
import { useScreenActions } from "@/shared/actions";
import { usePermission } from "@/shared/auth/permissions";
import { isTyping } from "@/shared/keys";
import type { LoadedRecord, RecordDefinition } from "./definition";
import { useEditing } from "./useEditing";

interface RecordActionsProps {
  definition: RecordDefinition;
  loaded: LoadedRecord;
  onDelete: (record: LoadedRecord) => void;
}

/** What the reader of a record may do with it: the same as from its list. */
export function RecordActions({ definition, loaded, onDelete }: RecordActionsProps) {
  const { paths, texts, list } = definition;
  const mayWrite = usePermission("fleet:write");
  const mayRemove = usePermission("fleet:remove");
  const { edit, isBack } = useEditing(paths, loaded.id);
  const editing = useRef<HTMLButtonElement>(null);
  // For whoever may read personal data, what is hidden is restricted.
  const mayReadPersonal = usePermission("personal:read");
  const isHidden = mayReadPersonal && loaded.hidden.size > 0;
  const isRestricted = isHidden && loaded.wire.erased === undefined;
  const canDelete = list !== undefined && mayRemove && !isRestricted;
  const canEdit = mayWrite && !isHidden;
  useScreenActions([
    ...(canEdit ? [{ text: texts.edit, icon: <Edit />, onSelect: edit }] : []),
    ...(canDelete ? [{ text: list.texts.delete, icon: <Trash />, onSelect: () => onDelete(loaded) }] : []),
  ]);
  useEffect(() => {
    if (isBack && !isTyping()) editing.current?.focus();
  }, [isBack]);
  return (
    <>
      {canDelete && (
        <Button
          icon={<Trash />}
          intent="danger"
          variant="outlined"
          text={list.texts.delete}
          onClick={() => onDelete(loaded)}
        />
      )}
      {canEdit && <Button ref={editing} icon={<Edit />} intent="primary" text={texts.edit} onClick={edit} />}
    </>
  );
}
