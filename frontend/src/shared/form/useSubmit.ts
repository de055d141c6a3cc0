import { useRef, useState } from "react";
import type { FieldErrors, UseFormReturn } from "react-hook-form";
import { RequestError } from "@/shared/api/client";
import { toast } from "@/shared/toast";
import { type FieldSpec, type FormValues, fieldsOf, type SectionSpec, wireName } from "./fields";
import { saveFailure } from "./saveFailure";
import { type SendKeyed, useCommandKey } from "./useCommandKey";

/** Thrown by a save that ends without being done and without a failure: the user is back in the form. */
export class SaveAbandoned extends Error {}

export interface SubmitOptions {
  sections: readonly SectionSpec[];
  /** The fields asked for, from top to bottom: the first one refused gets the focus. */
  asked: readonly FieldSpec[];
  /**
   * Sends the values; throws when they could not be saved.
   * @param keyed sends values under an idempotency key.
   */
  save: (values: FormValues, keyed: SendKeyed) => Promise<void>;
  /** The title of every toast about a failed save. */
  failureTitle: string;
  /** The message of those about which the server says nothing; by default as section 8 has it for drivers. */
  failureMessage?: string | undefined;
  /** Called when the record is saved and the form has nothing left to lose. */
  onSaved: () => void;
}

/** Saves a form: once at a time, with the server's refusals as toasts and beside their fields. */
export function useSubmit(form: UseFormReturn<FormValues>, options: SubmitOptions) {
  const { sections, asked, save, failureTitle, failureMessage, onSaved } = options;
  const [isSaving, setIsSaving] = useState(false);
  // Two clicks can come before React renders once, so the lock must not be state.
  const locked = useRef(false);
  const keyed = useCommandKey();

  const lock = (isLocked: boolean) => {
    locked.current = isLocked;
    setIsSaving(isLocked);
  };

  const refuse = (error: unknown) => {
    const { messages, fieldErrors } = saveFailure(error, failureMessage);
    for (const message of messages) toast.show({ title: failureTitle, message, intent: "danger" });
    const refused = new Set<FieldSpec>();
    for (const { field, message } of fieldErrors) {
      const spec = fieldsOf(sections).find((one) => wireName(one) === field);
      if (spec === undefined) continue;
      form.setError(spec.name, { type: "server", message });
      refused.add(spec);
    }
    const first = asked.find((spec) => refused.has(spec));
    if (first !== undefined) form.setFocus(first.name);
  };

  const saveOnce = async (values: FormValues) => {
    if (locked.current) return;
    lock(true);
    toast.clear();
    try {
      await save(values, keyed);
    } catch (error) {
      lock(false);
      if (error instanceof SaveAbandoned) return;
      if (!(error instanceof RequestError)) console.error(error);
      refuse(error);
      return;
    }
    // Locked it stays: the form goes away now, and must not be sent again until it has.
    onSaved();
  };

  const tellInvalid = (errors: FieldErrors<FormValues>) => {
    toast.clear();
    for (const { name, invalidTitle: title } of asked) {
      const message = errors[name]?.message;
      if (title && message) toast.show({ title, message, intent: "danger" });
    }
  };

  return { isSaving, submit: form.handleSubmit(saveOnce, tellInvalid) };
}
