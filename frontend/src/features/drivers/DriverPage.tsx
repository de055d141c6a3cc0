import { Button } from "@blueprintjs/core";
import { Edit } from "@blueprintjs/icons";
import { type ReactNode, useState } from "react";
import { useNavigate, useParams } from "react-router";
import { isNotFound } from "@/shared/api/client";
import { RecordForm, RecordView } from "@/shared/form";
import { useFailureToast, useToast } from "@/shared/toast";
import { EmptyState, ErrorState, LinkButton, LoadingState, PageHeader } from "@/shared/ui";
import { LicenceBadge } from "./LicenceBadge";
import { formName } from "./mapper";
import { BACK_TO_LIST, LIST, viewPath } from "./paths";
import { driverSchema } from "./schema";
import { driverSections } from "./sections";
import { useDriverCommands } from "./useDriverCommands";
import { useDriver } from "./useDrivers";

/** The driver form in view mode (`/management/drivers/{id}`); its button makes the fields editable. */
export function ViewDriverPage() {
  const { id = "" } = useParams();
  return <ViewedDriver key={id} id={id} />;
}

/** The driver form in edit mode (`/management/drivers/edit/{id}`). */
export function EditDriverPage() {
  const { id = "" } = useParams();
  const navigate = useNavigate();
  return (
    <DriverPage
      key={id}
      id={id}
      isEditing
      onSaved={() => navigate(viewPath(id), { replace: true })}
      onCancel={() => navigate(LIST)}
    />
  );
}

function ViewedDriver({ id }: { id: string }) {
  const [mode, setMode] = useState<"fresh" | "editing" | "edited">("fresh");
  const stopEditing = () => setMode("edited");
  const editButton = (
    <Button
      icon={<Edit />}
      intent="primary"
      text="Edit Driver"
      // The form that had the focus is gone then; this is where it began.
      autoFocus={mode === "edited"}
      onClick={() => setMode("editing")}
    />
  );
  return (
    <DriverPage
      id={id}
      isEditing={mode === "editing"}
      editButton={mode !== "editing" && editButton}
      onSaved={stopEditing}
      onCancel={stopEditing}
    />
  );
}

interface DriverPageProps {
  id: string;
  isEditing: boolean;
  editButton?: ReactNode;
  onSaved: () => void;
  onCancel: () => void;
}

function DriverPage({ id, isEditing, editButton, onSaved, onCancel }: DriverPageProps) {
  const { driver, error } = useDriver(id);
  const { update } = useDriverCommands();
  const toast = useToast();
  const isMissing = isNotFound(error);
  const hasFailed = error !== undefined && !isMissing;
  useFailureToast(hasFailed, "Error", "Failed to load driver details. Please try again.");

  // What was being typed stays, even when the driver has been removed elsewhere meanwhile.
  if (driver === undefined || (isMissing && !isEditing)) {
    return (
      <>
        <PageHeader title="Driver" back={BACK_TO_LIST} />
        {isMissing && (
          <EmptyState
            title="Driver not found"
            message="The requested driver could not be found."
            action={<LinkButton to={LIST} text="Back to Drivers" />}
          />
        )}
        {hasFailed && (
          <ErrorState title="Failed to load driver details" onRetry={() => window.location.reload()} />
        )}
        {error === undefined && <LoadingState label="Loading driver details..." />}
      </>
    );
  }

  return (
    <>
      <PageHeader
        title={driver.name}
        subtitle={`Employee Number ${driver.id}`}
        back={BACK_TO_LIST}
        badge={<LicenceBadge validUpTo={driver.licenseValidUpTo} />}
        actions={editButton}
      />
      {isEditing ? (
        <RecordForm
          label="Edit driver"
          sections={driverSections}
          schema={driverSchema}
          initial={driver}
          isExisting
          submitLabel="Save Changes"
          save={update}
          failureTitle="Failed to update driver"
          fieldOf={formName}
          onSaved={() => {
            toast.show({ title: "Driver Updated", intent: "success" });
            onSaved();
          }}
          onCancel={onCancel}
        />
      ) : (
        <RecordView sections={driverSections} values={driver} />
      )}
    </>
  );
}
