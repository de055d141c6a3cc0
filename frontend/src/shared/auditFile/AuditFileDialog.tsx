import { Switch } from "@blueprintjs/core";
import { useState } from "react";
import { useSWRConfig } from "swr";
import { apiClient } from "@/shared/api/client";
import { ApiError } from "@/shared/api/errors";
import { Permitted } from "@/shared/auth/permissions";
import { failureText } from "@/shared/auth/refusal";
import { FilterChoice } from "@/shared/form/FilterChoice";
import { FormDialog } from "@/shared/form/FormDialog";
import { TextField } from "@/shared/form/TextField";
import { counted } from "@/shared/format/counted";
import { fromInput, toInput } from "@/shared/format/localInput";
import { formatMegabytes } from "@/shared/format/megabytes";
import { saveFile } from "@/shared/table/csv";
import { useTask } from "@/shared/table/useTask";
import { Notice } from "@/shared/ui";
import { type AuditFileScope, SCOPE_NAMES } from "./scope";

type Choices = readonly { value: string; label: string }[];

export interface AuditFileProps {
  /** Values that the dialog starts from. */
  scope: AuditFileScope;
  /** Kinds of record to choose from; otherwise the file is about the record of the scope, with this name. */
  about: Choices | string;
  people: Choices;
  /** Labels of the screen's filters that a file cannot have. */
  unused?: readonly string[];
  isOpen: boolean;
  onClose: () => void;
}

/** What the headers of the answer announce. */
interface Announced {
  events: number;
  /** An estimate. */
  bytes: number;
  /** Newer changes that are not sealed yet. */
  missing: number;
}

type Outcome = { failure: string } | (Announced & { name: string; size: number });

/** Creates a file with changes and the proof that none is missing. */
export function AuditFileDialog({ scope, about, people, unused = [], ...dialog }: AuditFileProps) {
  const [wanted, setWanted] = useState(scope);
  const [isRevealing, setRevealing] = useState(false);
  const [announced, setAnnounced] = useState<Announced>();
  const [outcome, setOutcome] = useState<Outcome>();
  const { isUnderWay, done, run, cancel } = useTask();
  const { mutate } = useSWRConfig();
  const set = (changes: Partial<AuditFileScope>) => {
    setWanted({ ...wanted, ...changes });
    setOutcome(undefined);
  };

  const send = async () => {
    setOutcome(undefined);
    setAnnounced(undefined);
    let begun: Announced | undefined;
    await run(
      async (task) => {
        const onBegin = (headers: Headers) => {
          begun = announcedBy(headers);
          setAnnounced(begun);
        };
        const { content, name = "fleetlog-audit.zip" } = await apiClient.download(
          pathOf(wanted, isRevealing),
          { ...task, onBegin },
        );
        saveFile(name, content, content.type);
        if (begun) setOutcome({ ...begun, name, size: content.size });
        // The next file is masked again by default.
        setRevealing(false);
      },
      (error) => setOutcome({ failure: begun ? INTERRUPTED : reasonOf(error) }),
    );
    // The access was logged, even if the download failed.
    if (isRevealing) void mutate((key) => String(key).startsWith("/api/v1/access-log"));
    return false;
  };

  return (
    <FormDialog
      title="Audit File"
      style={{ width: "40rem" }}
      submitLabel={isRevealing ? "Record and create" : "Create"}
      busyLabel="Creating..."
      cancelLabel={outcome !== undefined && "name" in outcome ? "Close" : "Cancel"}
      notice={
        <>
          {isRevealing && !isUnderWay && (
            <p role="status">
              The file will contain names, reasons and personal values. Your name, the time and these filters
              are recorded in the access log.
            </p>
          )}
          {isUnderWay && <Progress announced={announced} received={done} />}
          {outcome !== undefined && <Result outcome={outcome} />}
        </>
      }
      send={send}
      onAbort={cancel}
      {...dialog}
    >
      <p>
        A ZIP with a statement to print, all changes as CSV and NDJSON, and a proof. With the proof, anyone
        can check that none of these changes was altered, left out or added since.
      </p>
      {typeof about === "string" && (
        <p>
          Record: <strong>{about}</strong>
        </p>
      )}
      {unused.length > 0 && <p>These filters do not apply to the file: {unused.join(", ")}.</p>}
      <div className="fl-columns">
        <TextField
          label="From"
          type="datetime-local"
          hint="Empty: from the beginning."
          value={toInput(wanted.from)}
          onChange={(text) => set({ from: fromInput(text) })}
        />
        <TextField
          label="Until"
          type="datetime-local"
          hint="Changes before this moment. Empty: until now."
          value={toInput(wanted.to)}
          onChange={(text) => set({ to: fromInput(text) })}
        />
        {typeof about !== "string" && (
          <>
            <FilterChoice
              label="Record type"
              choices={about}
              value={wanted.entity}
              onChange={(entity) => set(entity === "" ? { entity, id: "" } : { entity })}
            />
            <TextField
              label="Record ID"
              hint={wanted.entity === "" ? "Choose a record type first." : undefined}
              disabled={wanted.entity === ""}
              value={wanted.id}
              onChange={(id) => set({ id })}
            />
          </>
        )}
        <FilterChoice
          label="Person"
          all="Everyone"
          choices={people}
          hint={wanted.actor !== "" && "The proof does not cover the selection by person."}
          value={wanted.actor}
          onChange={(actor) => set({ actor })}
        />
      </div>
      <Permitted to="audit:reveal">
        <Switch
          label="With personal data"
          checked={isRevealing}
          onChange={({ currentTarget }) => setRevealing(currentTarget.checked)}
        />
      </Permitted>
    </FormDialog>
  );
}

const INTERRUPTED =
  "The connection was interrupted before the file was complete, so nothing was saved. Try again.";

function pathOf(wanted: AuditFileScope, isRevealing: boolean): string {
  const given = SCOPE_NAMES.map((name) => [name, wanted[name].trim()]);
  const query = new URLSearchParams(given.filter(([, value]) => value !== ""));
  if (isRevealing) query.set("reveal", "true");
  return `/api/v1/audit/file?${query}`;
}

function announcedBy(headers: Headers): Announced {
  const [events, bytes, missing] = ["Events", "Expected-Bytes", "Not-Covered"].map((name) =>
    Number(headers.get(`Fleetlog-${name}`) ?? 0),
  );
  return { events: events ?? 0, bytes: bytes ?? 0, missing: missing ?? 0 };
}

function reasonOf(error: unknown): string {
  const refused = error instanceof ApiError ? error.validationErrors : [];
  return refused.length > 0 ? refused.map(({ message }) => message).join(". ") : failureText(error);
}

function Progress({ announced, received }: { announced: Announced | undefined; received: number }) {
  const isKnown = announced !== undefined && announced.bytes > 0;
  return (
    <>
      <p role="status">
        {announced === undefined
          ? "Preparing the file..."
          : `Writing ${counted(announced.events, "change")}...`}
      </p>
      <progress
        aria-label="Progress"
        max={1}
        {...(isKnown && { value: Math.min(received / announced.bytes, 0.99) })}
      />
      {announced !== undefined && (
        <p className="fl-remark">
          {formatMegabytes(received)}
          {isKnown && ` of about ${formatMegabytes(Math.max(announced.bytes, received))}`}
        </p>
      )}
    </>
  );
}

function Result({ outcome }: { outcome: Outcome }) {
  if ("failure" in outcome) {
    return (
      <Notice role="alert" intent="danger">
        <p>
          <strong>No file was created.</strong> {outcome.failure}
        </p>
      </Notice>
    );
  }
  const { name, events, size, missing } = outcome;
  return (
    <Notice role="status" intent="success">
      <p>
        <strong>{name}</strong> was downloaded: {counted(events, "change")}, {formatMegabytes(size)}.
      </p>
      <p>
        Check it with <code>./fleetlog audit check {name} --key PUBLIC-KEY</code>. README.txt in the file says
        where the key comes from, and how to check the file without Fleetlog.
      </p>
      {missing > 0 && (
        <p>
          {missing === 1 ? "A newer change is" : `${counted(missing, "newer change")} are`} not sealed yet, so
          the file does not have {missing === 1 ? "it" : "them"}. Create a file again in a minute.
        </p>
      )}
    </Notice>
  );
}
