import { useRef } from "react";
import { useNavigate } from "react-router";
import { ReadOnlyPast, useAsOf } from "@/shared/asOf";
import { Needs } from "@/shared/auth/Needs";
import { usePermission } from "@/shared/auth/permissions";
import { emptyValues, RecordForm } from "@/shared/form";
import { toast } from "@/shared/toast";
import { LinkButton, PageHeader } from "@/shared/ui";
import type { KindProps } from "./definition";
import { useListAddress } from "./paths";
import { undoAction } from "./undo/undoStore";
import { type Saved, useRecordCommands } from "./useRecordCommands";

/** The form of a kind of record in add mode. */
export function AddRecordPage({ definition }: KindProps) {
  const listAddress = useListAddress(definition.paths);
  return (
    <Needs
      permissions={["fleet:write"]}
      to={`add a ${definition.api.noun}`}
      back={<LinkButton to={listAddress} text={definition.texts.back} />}
      stays
    >
      <AddForm definition={definition} listAddress={listAddress} />
    </Needs>
  );
}

function AddForm({ definition, listAddress }: KindProps & { listAddress: string }) {
  const { api, texts, paths, sections } = definition;
  const { add } = useRecordCommands(api);
  const navigate = useNavigate();
  const { asOf } = useAsOf();
  const mayUndo = usePermission("fleet:remove");
  const added = useRef<Saved>(undefined);

  return (
    <>
      <PageHeader title={texts.add} back={{ to: listAddress, label: texts.back }} />
      {asOf !== null ? (
        <ReadOnlyPast />
      ) : (
        <RecordForm
          label={`Add ${api.noun}`}
          sections={sections}
          initial={emptyValues(sections)}
          isExisting={false}
          submitLabel={texts.add}
          busyLabel="Adding..."
          save={(values, keyed) =>
            keyed(values, async (key) => {
              added.current = await add(values, key);
            })
          }
          failureTitle={texts.addFailed}
          failureMessage={texts.saveFailed}
          onSaved={() => {
            const { id = "", made } = added.current ?? {};
            const change = { entity: api.noun, id, what: texts.added.title };
            const action = undoAction(mayUndo ? made : undefined, change);
            toast.show({ ...texts.added, intent: "success", action });
            // Without a search, which could hide the new record.
            navigate(paths.added?.(id) ?? paths.list);
          }}
          onCancel={() => navigate(listAddress)}
        />
      )}
    </>
  );
}
