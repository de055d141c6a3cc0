import { useNavigate } from "react-router";
import { RecordForm } from "@/shared/form";
import { useToast } from "@/shared/toast";
import { PageHeader } from "@/shared/ui";
import { formName } from "./mapper";
import { BACK_TO_LIST, LIST } from "./paths";
import { driverSchema, emptyDriver } from "./schema";
import { driverSections } from "./sections";
import { useDriverCommands } from "./useDriverCommands";

/** The driver form in add mode. */
export function AddDriverPage() {
  const { add } = useDriverCommands();
  const navigate = useNavigate();
  const toast = useToast();

  return (
    <>
      <PageHeader title="Add Driver" back={BACK_TO_LIST} />
      <RecordForm
        label="Add driver"
        sections={driverSections}
        schema={driverSchema}
        initial={emptyDriver}
        isExisting={false}
        submitLabel="Add Driver"
        save={add}
        failureTitle="Failed to add driver"
        fieldOf={formName}
        onSaved={() => {
          toast.show({ title: "Driver Added", intent: "success" });
          navigate(LIST);
        }}
        onCancel={() => navigate(LIST)}
      />
    </>
  );
}
