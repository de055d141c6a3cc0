import { Button } from "@blueprintjs/core";
import { Tick } from "@blueprintjs/icons";
import { useEffect, useState } from "react";
import { useSWRConfig } from "swr";
import { ApiError } from "@/shared/api/client";
import { useApiQuery } from "@/shared/api/useApiQuery";
import type { Wire } from "@/shared/api/wireTypes.gen";
import { usePermission } from "@/shared/auth/permissions";
import { failureText } from "@/shared/auth/refusal";
import { AcknowledgeDialog } from "@/shared/expiry/AcknowledgeDialog";
import { DOCUMENTS, type DueDocument } from "@/shared/expiry/acknowledgement";
import { dayIn, expiryOf } from "@/shared/expiry/expiry";
import { formatDate } from "@/shared/format/DateText";
import { MomentText } from "@/shared/format/MomentText";
import { actorName } from "@/shared/history";
import type { LoadedRecord } from "@/shared/records";
import { driver } from "@/shared/records/entities.gen";
import { useAddressParams } from "@/shared/table/useAddressParams";
import { toast } from "@/shared/toast";
import { StatusBadge } from "@/shared/ui";

const pathOf = (id: string, what: string) => `${driver.path}/${encodeURIComponent(id)}/${what}`;

/** The documents that have expired or will soon. */
function dueDocuments({ values }: LoadedRecord): DueDocument[] {
  const days = { licence: values.licenseValidUpTo, passport: values.passportValidUpTo };
  return (["licence", "passport"] as const).filter((document) =>
    ["expired", "expiring"].includes(expiryOf(days[document] ?? "", new Date())),
  );
}

/** Acknowledges the reminders of due documents; a link of an e-mail opens the dialog for one of them. */
export function ReminderActions({ loaded }: { loaded: LoadedRecord }) {
  const { id, values } = loaded;
  const [params, update] = useAddressParams();
  const { mutate } = useSWRConfig();
  const [isOpen, setOpen] = useState(false);
  const asked = { document: params.get("acknowledge"), link: params.get("link") };
  const { data, error } = useApiQuery<Wire<"ReminderLink">>(
    asked.document !== null && asked.link !== null
      ? pathOf(id, `reminder-link?${new URLSearchParams({ document: asked.document, link: asked.link })}`)
      : null,
  );
  useEffect(() => {
    if (error === undefined) return;
    const isExpired = error instanceof ApiError && error.status === 410;
    const message =
      error instanceof ApiError && error.status < 500
        ? "Open the latest e-mail, or use Acknowledge or Snooze… on this page."
        : failureText(error);
    const title = `The link ${isExpired ? "has expired" : "of the e-mail is not valid"}`;
    toast.show({ title, message, intent: "danger" });
    update({ acknowledge: null, link: null });
  }, [error, update]);

  const due = dueDocuments(loaded);
  const documents = data ? [data.document] : due;
  return (
    <>
      {due.length > 0 && (
        <Button icon={<Tick />} text="Acknowledge or Snooze…" onClick={() => setOpen(true)} />
      )}
      {(isOpen || data !== undefined) && (
        <AcknowledgeDialog
          reminder={{ driver: id, name: values.name || id, documents }}
          onDone={() => void mutate(pathOf(id, "acknowledgements"))}
          onClose={() => {
            setOpen(false);
            update({ acknowledge: null, link: null });
          }}
        />
      )}
    </>
  );
}

/** The acknowledged reminders of due documents: until when, and by whom. */
export function AcknowledgedReminders({ loaded }: { loaded: LoadedRecord }) {
  const due = dueDocuments(loaded);
  const mayAsk = usePermission("history:read") && due.length > 0;
  const { data } = useApiQuery<Wire<"AcknowledgedReminders">>(
    mayAsk ? pathOf(loaded.id, "acknowledgements") : null,
  );
  const today = dayIn(0, new Date());
  return data?.content
    .filter(({ document, until }) => due.includes(document) && (until === null || today < until))
    .map(({ document, until, moment, actor }) => (
      <p key={document}>
        <StatusBadge label={until === null ? "Acknowledged" : `Snoozed until ${formatDate(until)}`} />{" "}
        {DOCUMENTS[document]}: no more reminders{until === null && " until it is renewed"}.{" "}
        <span className="fl-muted">
          {actorName(actor)}, <MomentText moment={moment} />
        </span>
      </p>
    ));
}
