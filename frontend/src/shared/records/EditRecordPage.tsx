import { lazy, type ReactNode, Suspense } from "react";
import { useLocation, useNavigate, useParams } from "react-router";
import { useAsOf } from "@/shared/asOf";
import { Needs } from "@/shared/auth/Needs";
import { capitalized } from "@/shared/format/capitalized";
import { LinkButton, LoadingState } from "@/shared/ui";
import type { RecordDefinition } from "./definition";
import { EditRecordForm } from "./EditRecordForm";
import { useListAddress, viewPath } from "./paths";
import { RecordFrame } from "./RecordFrame";
import { useWayBack } from "./useEditing";
import { useRecord } from "./useRecords";

// The past is read, not edited; few ask for it here.
const ViewedRecord = lazy(async () => ({ default: (await import("./ViewedRecord")).ViewedRecord }));

interface DefinedPageProps {
  definition: RecordDefinition;
}

/** The form of a kind of record in edit mode. */
export function EditRecordPage({ definition }: DefinedPageProps) {
  const { id = "" } = useParams();
  const { addressOf } = useAsOf();
  const { noun } = definition.api;
  return (
    <Needs
      permissions={["fleet:read", "fleet:write"]}
      to={`edit a ${noun}`}
      back={<LinkButton to={addressOf(viewPath(definition.paths, id))} text={`View ${capitalized(noun)}`} />}
      stays
    >
      <EditedAtAddress key={id} id={id} definition={definition} />
    </Needs>
  );
}

function EditedAtAddress({ definition, id }: DefinedPageProps & { id: string }) {
  const { state } = useLocation();
  const navigate = useNavigate();
  const listAddress = useListAddress(definition.paths);
  const { asOf } = useAsOf();
  const wayBack = useWayBack();
  if (asOf !== null) {
    return (
      <Suspense fallback={<LoadingState label={definition.texts.loading} />}>
        <ViewedRecord id={id} definition={definition} />
      </Suspense>
    );
  }

  const view = () => navigate(viewPath(definition.paths, id), { replace: true, state });
  const cancel = definition.cancelEdit === "view" ? view : () => navigate(listAddress);
  return (
    <EditedRecord definition={definition} id={id} onSaved={wayBack ?? view} onCancel={wayBack ?? cancel} />
  );
}

interface EditedRecordProps extends DefinedPageProps {
  id: string;
  onSaved: () => void;
  onCancel: () => void;
}

function EditedRecord({ definition, id, onSaved, onCancel }: EditedRecordProps): ReactNode {
  const query = useRecord(definition.api, id);
  return (
    // What was being typed stays, even when the record has been removed elsewhere meanwhile.
    <RecordFrame definition={definition} id={id} query={query} keepsMissing>
      {(loaded, isMissing) => (
        <EditRecordForm
          definition={definition}
          loaded={loaded}
          isMissing={isMissing}
          onSaved={onSaved}
          onCancel={onCancel}
        />
      )}
    </RecordFrame>
  );
}
