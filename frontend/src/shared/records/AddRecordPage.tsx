import { useRef } from "react";
import { useNavigate } from "react-router";
import { ReadOnlyPast, useAsOf } from "@/shared/asOf";
import { Needs } from "@/shared/auth/Needs";
import { emptyValues, RecordForm } from "@/shared/form";
import { toast } from "@/shared/toast";
import { LinkButton, PageHeader } from "@/shared/ui";
import type { RecordDefinition } from "./definition";
import { useListAddress } from "./paths";
import { useRecordCommands } from "./useRecordCommands";

interface AddRecordPageProps {
  definition: RecordDefinition;
}

/** The form of a kind of record in add mode. */
export function AddRecordPage({ definition }: AddRecordPageProps) {
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

function AddForm({ definition, listAddress }: AddRecordPageProps & { listAddress: string }) {
  const { api, texts, paths, sections } = definition;
  const { add } = useRecordCommands(api);
  const navigate = useNavigate();
  const { asOf } = useAsOf();
  const newId = useRef("");

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
              newId.current = await add(values, key);
            })
          }
          failureTitle={texts.addFailed}
          failureMessage={texts.saveFailed}
          onSaved={() => {
            toast.show({ ...texts.added, intent: "success" });
            // As it is by default: a search could hide what has just been added.
            navigate(paths.added?.(newId.current) ?? paths.list);
          }}
          onCancel={() => navigate(listAddress)}
        />
      )}
    </>
  );
}
