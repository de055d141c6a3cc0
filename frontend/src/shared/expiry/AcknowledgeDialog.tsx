import { Button, ButtonGroup } from "@blueprintjs/core";
import { useState } from "react";
import { ApiError, apiClient } from "@/shared/api/client";
import { failureText } from "@/shared/auth/refusal";
import type { SendKeyed } from "@/shared/form";
import { DateField } from "@/shared/form/DateField";
import { FilterChoice } from "@/shared/form/FilterChoice";
import { FormDialog } from "@/shared/form/FormDialog";
import { formatDate } from "@/shared/format/DateText";
import { toast } from "@/shared/toast";
import { type Acknowledgement, DOCUMENTS } from "./acknowledgement";
import { dayIn } from "./expiry";

interface AcknowledgeDialogProps {
  reminder: Acknowledgement;
  onDone?: () => void;
  onClose: () => void;
}

/** Days for which a reminder is usually snoozed. */
const PRESETS = [7, 14, 30];

/** Asks until when reminders of a document are suspended. */
export function AcknowledgeDialog({ reminder, onDone, onClose }: AcknowledgeDialogProps) {
  const { driver, name, documents } = reminder;
  const [document, setDocument] = useState<string>(documents[0] ?? "");
  const [until, setUntil] = useState("");
  const [problem, setProblem] = useState<{ field: string; message: string }>();
  const problemAt = (field: string) => (problem?.field === field ? problem.message : undefined);

  const send = async (keyed: SendKeyed) => {
    const body = { document, until: until || null };
    const path = `/api/v1/drivers/${encodeURIComponent(driver)}/acknowledgements`;
    try {
      await keyed(body, (idempotencyKey) => apiClient.post(path, body, { idempotencyKey }));
    } catch (error) {
      const refused = error instanceof ApiError ? error.validationErrors[0] : undefined;
      setProblem(refused);
      if (refused === undefined) {
        toast.show({
          title: "Failed to acknowledge the reminder",
          message: failureText(error),
          intent: "danger",
        });
      }
      return false;
    }
    const title = until ? `Reminder Snoozed until ${formatDate(until)}` : "Reminder Acknowledged";
    toast.show({ title, record: name, intent: "success" });
    onDone?.();
    onClose();
    return true;
  };
  return (
    <FormDialog
      title={`Acknowledge Reminder: ${name}`}
      submitLabel={until ? "Snooze" : "Acknowledge"}
      busyLabel="Saving..."
      send={send}
      onClose={onClose}
    >
      {documents.length > 1 ? (
        <FilterChoice
          label="Document"
          all="Select a document"
          choices={documents.map((value) => ({ value, label: DOCUMENTS[value] }))}
          value={document}
          error={problemAt("document")}
          onChange={(chosen) => {
            setDocument(chosen);
            setProblem(undefined);
          }}
        />
      ) : (
        <p>{documents.map((one) => DOCUMENTS[one])}: due-date e-mails leave this document out.</p>
      )}
      <ButtonGroup>
        <Button text="Until renewed" active={until === ""} onClick={() => setUntil("")} />
        {PRESETS.map((days) => {
          const day = dayIn(days, new Date());
          return (
            <Button key={days} text={`${days} days`} active={until === day} onClick={() => setUntil(day)} />
          );
        })}
      </ButtonGroup>
      <DateField
        label="Remind again on"
        value={until}
        error={problemAt("until")}
        onChange={(day) => {
          setUntil(day);
          setProblem(undefined);
        }}
      />
    </FormDialog>
  );
}
