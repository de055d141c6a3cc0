import { useRef, useState } from "react";
import type { FieldErrors, UseFormReturn } from "react-hook-form";
import { ApiError, RequestError } from "@/shared/api/client";
import { refusalText } from "@/shared/auth/refusal";
import { toast } from "@/shared/toast";
import { type FieldSpec, type FormValues, fieldsOf, type SectionSpec, wireName } from "./fields";
import { type SendKeyed, useCommandKey } from "./useCommandKey";

/** The save was cancelled by the user: the form stays open without an error. */
export class SaveAbandoned extends Error {}

export interface SubmitOptions {
  sections: readonly SectionSpec[];
  /** The editable fields in order: the first refused one is focused. */
  asked: readonly FieldSpec[];
  /**
   * Send the values; rejects on failure.
   * @param keyed sends values with an idempotency key.
   */
  save: (values: FormValues, keyed: SendKeyed) => Promise<void>;
  /** Title of the toasts about a failed save. */
  failureTitle: string;
  /** Message of errors without validation errors; by default the specification's for drivers. */
  failureMessage?: string | undefined;
  /** The address of another record, which has the value of a unique field. */
  addressOf?: (id: string) => string;
  /** Called when the record is saved. */
  onSaved: () => void;
}

/** Submit a form once at a time; errors are shown in toasts and at their fields. */
export function useSubmit(form: UseFormReturn<FormValues>, options: SubmitOptions) {
  const { sections, asked, save, failureTitle, failureMessage, addressOf, onSaved } = options;
  const [isSaving, setIsSaving] = useState(false);
  // Two clicks can precede a render, so the lock cannot be state.
  const locked = useRef(false);
  const keyed = useCommandKey();

  const lock = (isLocked: boolean) => {
    locked.current = isLocked;
    setIsSaving(isLocked);
  };

  const refuse = (error: unknown) => {
    const { messages, fieldErrors, record } = saveFailure(error, failureMessage);
    for (const message of messages) toast.show({ title: failureTitle, message, intent: "danger" });
    const refused = new Set<FieldSpec>();
    for (const { field, message } of fieldErrors) {
      const spec = fieldsOf(sections).find((one) => wireName(one) === field);
      if (spec === undefined) continue;
      const address = record === undefined ? undefined : addressOf?.(record);
      form.setError(spec.name, { type: "server", message, ...(address && { types: { record: address } }) });
      refused.add(spec);
    }
    const first = asked.find((spec) => refused.has(spec));
    if (first !== undefined) form.setFocus(first.name);
  };

  const saveOnce = async (values: FormValues) => {
    if (locked.current) return;
    lock(true);
    toast.clearPlain();
    try {
      await save(values, keyed);
    } catch (error) {
      lock(false);
      if (error instanceof SaveAbandoned) return;
      if (!(error instanceof RequestError)) console.error(error);
      refuse(error);
      return;
    }
    // The lock stays until the form is unmounted.
    onSaved();
  };

  const reportInvalid = (errors: FieldErrors<FormValues>) => {
    toast.clearPlain();
    for (const { name, invalidTitle: title } of asked) {
      const message = errors[name]?.message;
      if (title && message) toast.show({ title, message, intent: "danger" });
    }
  };

  return { isSaving, submit: form.handleSubmit(saveOnce, reportInvalid) };
}

const REFUSED_WITHOUT_REASON = "An error occurred. Please try again.";
const REQUEST_FAILED = "Somthing went wrong. Please try again.";
const UNEXPECTED = "An unexpected error occured.";

/**
 * Return the messages about a failed save, a toast each, and those at fields, by the server's names (specification:
 * messages, with its misspellings); and the record that has a unique value already.
 * @param otherwise message for an error without validation errors, instead of the two that drivers have.
 */
export function saveFailure(error: unknown, otherwise?: string) {
  if (error instanceof ApiError && error.validationErrors.length > 0) {
    const fieldErrors = error.validationErrors.map(({ field, message }) => ({
      field,
      message: message === "" ? REFUSED_WITHOUT_REASON : message,
    }));
    const { record } = error.problem;
    const messages = fieldErrors.map(({ message }) => message);
    return { messages, fieldErrors, ...(typeof record === "string" && { record }) };
  }
  const usual = otherwise ?? (error instanceof RequestError ? REQUEST_FAILED : UNEXPECTED);
  return { messages: [refusalText(error) ?? usual], fieldErrors: [], record: undefined };
}
