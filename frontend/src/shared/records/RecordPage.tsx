import { Button } from "@blueprintjs/core";
import { Edit } from "@blueprintjs/icons";
import { type ReactNode, useState } from "react";
import { useLocation, useNavigate, useParams } from "react-router";
import { isNotFound } from "@/shared/api/client";
import { RecordView } from "@/shared/form";
import { useFailureToast } from "@/shared/toast";
import { EmptyState, ErrorState, LinkButton, LoadingState, PageHeader } from "@/shared/ui";
import type { RecordDefinition } from "./definition";
import { EditRecordForm } from "./EditRecordForm";
import { useListAddress, viewPath } from "./paths";
import { useRecord } from "./useRecords";

interface DefinedPageProps {
  definition: RecordDefinition;
}

/** The form of a kind of record in view mode; its button makes the fields editable. */
export function ViewRecordPage({ definition }: DefinedPageProps) {
  const { id = "" } = useParams();
  return <ViewedRecord key={id} id={id} definition={definition} />;
}

/** The form of a kind of record in edit mode. */
export function EditRecordPage({ definition }: DefinedPageProps) {
  const { id = "" } = useParams();
  const { state } = useLocation();
  const navigate = useNavigate();
  const listAddress = useListAddress(definition.paths);
  const view = () => navigate(viewPath(definition.paths, id), { replace: true, state });
  return (
    <RecordPage
      key={id}
      definition={definition}
      id={id}
      isEditing
      onSaved={view}
      onCancel={definition.cancelEdit === "view" ? view : () => navigate(listAddress)}
    />
  );
}

function ViewedRecord({ definition, id }: DefinedPageProps & { id: string }) {
  const [mode, setMode] = useState<"fresh" | "editing" | "edited">("fresh");
  const stopEditing = () => setMode("edited");
  const editButton = (
    <Button
      icon={<Edit />}
      intent="primary"
      text={definition.texts.edit}
      // The form that had the focus is gone then; this is where it began.
      autoFocus={mode === "edited"}
      onClick={() => setMode("editing")}
    />
  );
  return (
    <RecordPage
      definition={definition}
      id={id}
      isEditing={mode === "editing"}
      editButton={mode !== "editing" && editButton}
      onSaved={stopEditing}
      onCancel={stopEditing}
    />
  );
}

interface RecordPageProps extends DefinedPageProps {
  id: string;
  isEditing: boolean;
  editButton?: ReactNode;
  onSaved: () => void;
  onCancel: () => void;
}

function RecordPage(props: RecordPageProps) {
  const { definition, id, isEditing, editButton, onSaved, onCancel } = props;
  const { api, texts, paths } = definition;
  const { loaded, error } = useRecord(api, id);
  const listAddress = useListAddress(paths);
  const back = { to: listAddress, label: texts.back };
  const isMissing = isNotFound(error);
  const hasFailed = error !== undefined && !isMissing;
  useFailureToast(hasFailed, "Error", texts.loadFailedToast);

  // What was being typed stays, even when the record has been removed elsewhere meanwhile.
  if (loaded === undefined || (isMissing && !isEditing)) {
    const backLink = <LinkButton to={listAddress} text={texts.back} />;
    return (
      <>
        <PageHeader title={capitalized(api.noun)} back={back} />
        {isMissing && <EmptyState {...texts.notFound} action={backLink} />}
        {hasFailed && (
          <ErrorState {...texts.loadFailed} onRetry={() => window.location.reload()} action={backLink} />
        )}
        {error === undefined && <LoadingState label={texts.loading} />}
      </>
    );
  }

  return (
    <>
      <PageHeader {...definition.heading(loaded.values, id)} back={back} actions={editButton} />
      {isEditing ? (
        <EditRecordForm
          definition={definition}
          loaded={loaded}
          isMissing={isMissing}
          onSaved={onSaved}
          onCancel={onCancel}
        />
      ) : (
        <RecordView sections={definition.sections} values={loaded.values} />
      )}
    </>
  );
}

function capitalized(noun: string): string {
  return noun.charAt(0).toUpperCase() + noun.slice(1);
}
