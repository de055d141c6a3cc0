import { Checkbox } from "@blueprintjs/core";
import { zodResolver } from "@hookform/resolvers/zod";
import { useState } from "react";
import { FormProvider, useForm } from "react-hook-form";
import { Link } from "react-router";
import { ApiError } from "@/shared/api/client";
import { failureText } from "@/shared/auth/refusal";
import {
  emptyValues,
  type FormValues,
  fieldsOf,
  listOf,
  SaveAbandoned,
  type SendKeyed,
  wireName,
} from "@/shared/form";
import { Field } from "@/shared/form/Field";
import { FormDialog } from "@/shared/form/FormDialog";
import { schemaOf } from "@/shared/form/schema";
import { useReason } from "@/shared/form/useReason";
import type { LoadedRecord } from "@/shared/records";
import { useConflictDialog } from "@/shared/records/ConflictDialog";
import { saveWithMerge } from "@/shared/records/merge";
import { viewPath } from "@/shared/records/paths";
import { undoAction } from "@/shared/records/undo/undoStore";
import { type Saved, useRecordCommands } from "@/shared/records/useRecordCommands";
import { useRecord } from "@/shared/records/useRecords";
import { useReportAdded } from "@/shared/records/useReportAdded";
import { RecordLinks } from "@/shared/references/RecordLinks";
import { type Names, NamesContext } from "@/shared/references/references";
import { toast } from "@/shared/toast";
import { Loaded, Notice } from "@/shared/ui";
import { keepFocus } from "@/shared/ui/ConfirmDialog";
import { useWhenChanged, type WireAssignment } from "./assignments";
import { definition } from "./definition";
import { useIntervals } from "./intervals";
import { Parties, Time } from "./Summary";
import { SwapRefused, useSwap } from "./useSwap";

/** Values that the form starts from, where they differ from those of a new or the current assignment. */
export type AssignmentDraft = Partial<
  Pick<WireAssignment, "horse" | "driver" | "trailers" | "starts_at" | "ends_at" | "location" | "note">
>;

interface AssignDialogProps {
  draft?: AssignmentDraft;
  /** The assignment to correct; otherwise one is added. */
  current?: Pick<WireAssignment, "id"> | undefined;
  /** The assignment that ends when the added one starts. */
  swapped?: WireAssignment;
  /** Names of the records of the draft and of the current assignment. */
  names?: Names | undefined;
  onDone?: (saved: Saved) => void;
  onClose: () => void;
}

/** Adds or corrects an assignment. Refusals link to the other record; a warning can be confirmed. */
export function AssignDialog({ current, names = {}, ...props }: AssignDialogProps) {
  const query = useRecord(definition.api, current?.id);
  const form = (loaded?: LoadedRecord) => <AssignForm {...props} loaded={loaded} />;
  return (
    <NamesContext value={names}>
      {current === undefined ? (
        form()
      ) : (
        <Loaded query={query} what="the assignment">
          {form}
        </Loaded>
      )}
    </NamesContext>
  );
}

const { sections, api, texts } = definition;
const NO_ANSWER: Pick<ApiError, "problem" | "validationErrors"> = { problem: {}, validationErrors: [] };
const fields = fieldsOf(sections).filter(({ name }) => name !== "confirmed");
/** What the server objects to. */
interface Objection {
  message: string;
  /** The field with the other record. */
  field?: string | undefined;
  record?: string | undefined;
  /** The code of a warning that can be confirmed. */
  warning?: string | undefined;
  /** The record is another assignment. */
  isDuplicate: boolean;
}

const ASSIGNING = { title: "Assign", submitLabel: "Assign", busyLabel: "Assigning..." };
const CORRECTING = { title: "Correct Assignment", submitLabel: "Save Changes", busyLabel: "Saving..." };
const SWAPPING = { title: "Swap", submitLabel: "Swap", busyLabel: "Swapping..." };

interface AssignFormProps extends Omit<AssignDialogProps, "current" | "names"> {
  loaded: LoadedRecord | undefined;
}

function AssignForm({ draft = {}, loaded: now, swapped, onDone, onClose }: AssignFormProps) {
  const [loaded] = useState(now);
  const [initial] = useState(() => {
    const given = Object.entries(draft).map(([name, value]) => [name, [value ?? ""].flat().join(", ")]);
    return { ...emptyValues(sections), ...loaded?.values, ...Object.fromEntries(given) } as FormValues;
  });
  const form = useForm<FormValues>({ defaultValues: initial, resolver: zodResolver(schemaOf(sections)) });
  const { add, update, reload } = useRecordCommands(definition);
  const report = useReportAdded(definition);
  const { decide, dialog } = useConflictDialog(api.noun);
  const reason = useReason();
  const [objection, setObjection] = useState<Objection>();
  const confirmed = listOf(form.watch("confirmed") ?? "");

  const correct = async (from: LoadedRecord, values: FormValues, keyed: SendKeyed, why: string) => {
    const saved = await saveWithMerge({
      loaded: from,
      values,
      asked: fieldsOf(sections),
      send: (base, merged) => keyed([merged, why], (key) => update(base, merged, key, why)),
      reload: () => reload(from.id),
      decide,
    });
    const record = definition.heading(values, from.id, from.hidden).title || from.id;
    const actions = [
      undoAction(saved.made, { entity: api.noun, id: from.id, what: texts.updated.title, record }),
    ];
    toast.show({ ...texts.updated, record, intent: "success", actions });
    return saved;
  };

  const swap = useSwap();
  const create = async (values: FormValues, keyed: SendKeyed) => {
    if (swapped !== undefined) return await swap(swapped, values, keyed);
    const saved = await keyed(values, (key) => add(values, key));
    report(saved, values);
    return saved;
  };

  const save = async (values: FormValues, keyed: SendKeyed) => {
    const why = loaded === undefined ? "" : reason.read();
    if (why === undefined) return false;
    try {
      const saved =
        loaded === undefined ? await create(values, keyed) : await correct(loaded, values, keyed, why);
      onDone?.(saved);
    } catch (error) {
      if (!(error instanceof SaveAbandoned)) refuse(error);
      return false;
    }
    onClose();
    return true;
  };

  const refuse = (error: unknown) => {
    const { problem, validationErrors } = error instanceof ApiError ? error : NO_ANSWER;
    for (const { field, message } of validationErrors) form.setError(field, { type: "server", message });
    const [first] = validationErrors;
    if (first) form.setFocus(first.field);
    if (first && typeof problem.record !== "string") return setObjection(undefined);
    setObjection({
      message: first?.message ?? (error instanceof SwapRefused ? error.message : failureText(error)),
      field: first?.field,
      record: typeof problem.record === "string" ? problem.record : undefined,
      warning: problem.type?.endsWith(":unconfirmed") ? String(problem.code) : undefined,
      isDuplicate: problem.type?.endsWith(":duplicate") ?? false,
    });
  };

  const send = async (keyed: SendKeyed) => {
    let isSaved = false;
    await form.handleSubmit(async (values) => {
      isSaved = await save(values, keyed);
    })();
    return isSaved;
  };

  useWhenChanged(form.watch(), () => {
    setObjection(undefined);
    form.setValue("confirmed", "");
  });

  const toggle = (code: string) =>
    form.setValue(
      "confirmed",
      (confirmed.includes(code) ? confirmed.filter((one) => one !== code) : [...confirmed, code]).join(", "),
    );

  return (
    <FormProvider {...form}>
      <FormDialog
        {...(swapped ? SWAPPING : loaded ? CORRECTING : ASSIGNING)}
        notice={
          objection && <ObjectionNotice objection={objection} confirmed={confirmed} onToggle={toggle} />
        }
        className="fl-links"
        style={{ width: "40rem" }}
        send={send}
        onClose={onClose}
        onClosed={keepFocus}
      >
        {swapped && (
          <p>
            The present assignment ends when this one starts: <Parties of={swapped} />, <Time of={swapped} />.
          </p>
        )}
        <div className="fl-columns">
          {fields.map((spec) => (
            <Field key={spec.name} spec={spec} />
          ))}
        </div>
        {loaded !== undefined && reason.field}
      </FormDialog>
      {dialog}
    </FormProvider>
  );
}

interface ObjectionNoticeProps {
  objection: Objection;
  confirmed: readonly string[];
  onToggle: (code: string) => void;
}

/** What the server objects to, with a link to the other record, or a checkbox that confirms a warning. */
function ObjectionNotice({ objection, confirmed, onToggle }: ObjectionNoticeProps) {
  const { message, field, record, warning, isDuplicate } = objection;
  const noun = fields.find((spec) => wireName(spec) === field)?.refersTo;
  return (
    <Notice role="alert" intent={warning === undefined ? "danger" : "warning"}>
      <p>{message}.</p>
      {record !== undefined && isDuplicate && <OtherAssignment id={record} />}
      {record !== undefined && !isDuplicate && noun && <RecordLinks noun={noun} ids={[record]} />}
      {warning !== undefined && (
        <Checkbox
          label="Assign in spite of this"
          checked={confirmed.includes(warning)}
          onChange={() => onToggle(warning)}
        />
      )}
    </Notice>
  );
}

/** The assignment that has a record in the same time. */
function OtherAssignment({ id }: { id: string }) {
  const { data: loaded } = useRecord(api, id);
  const wire = loaded?.wire as WireAssignment | undefined;
  const { data } = useIntervals(wire && { horse: wire.horse, at: wire.starts_at });
  return (
    <NamesContext value={data?.names ?? {}}>
      <Link to={viewPath(definition.paths, id)} target="_blank">
        {id}
      </Link>
      {wire && (
        <>
          : <Parties of={wire} />, <Time of={wire} />
        </>
      )}
    </NamesContext>
  );
}
