import { useRef, useState } from "react";
import { type FieldErrors, type FieldValues, get, type Path, type UseFormReturn } from "react-hook-form";
import { RequestError } from "@/shared/api/client";
import { toast } from "@/shared/toast";
import { saveFailure } from "./saveFailure";
import { type SendKeyed, useCommandKey } from "./useCommandKey";

/** Thrown by a save that ends without being done and without a failure: the user is back in the form. */
export class SaveAbandoned extends Error {}

export interface SubmitOptions<Values extends FieldValues> {
  /** The form's fields from top to bottom: the first one refused gets the focus. */
  fieldNames: readonly Path<Values>[];
  /**
   * Sends the values; throws when they could not be saved.
   * @param keyed sends values under an idempotency key.
   */
  save: (values: Values, keyed: SendKeyed) => Promise<void>;
  /** The title of every toast about a failed save. */
  failureTitle: string;
  /** The message of those about which the server says nothing; by default as section 8 has it for drivers. */
  failureMessage?: string | undefined;
  /** Fields whose refusal by the form itself is told in a toast as well: the toasts' titles. */
  invalidTitles?: Partial<Record<Path<Values>, string>> | undefined;
  /** The form's name for a field the server refused; undefined when it has no such field. */
  fieldOf: (wireName: string) => Path<Values> | undefined;
  /** Called when the record is saved and the form has nothing left to lose. */
  onSaved: () => void;
}

/** Saves a form: once at a time, with the server's refusals as toasts and beside their fields. */
export function useSubmit<Values extends FieldValues>(
  form: UseFormReturn<Values>,
  options: SubmitOptions<Values>,
) {
  const { fieldNames, save, failureTitle, failureMessage, invalidTitles, fieldOf, onSaved } = options;
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
    const refused = new Set<Path<Values>>();
    for (const { field, message } of fieldErrors) {
      const name = fieldOf(field);
      if (name === undefined) continue;
      form.setError(name, { type: "server", message });
      refused.add(name);
    }
    const first = fieldNames.find((name) => refused.has(name));
    if (first !== undefined) form.setFocus(first);
  };

  const saveOnce = async (values: Values) => {
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

  const tellInvalid = (errors: FieldErrors<Values>) => {
    toast.clear();
    for (const [name, title] of Object.entries<string | undefined>(invalidTitles ?? {})) {
      const { message }: { message?: string } = get(errors, name) ?? {};
      if (title && message) toast.show({ title, message, intent: "danger" });
    }
  };

  return { isSaving, submit: form.handleSubmit(saveOnce, tellInvalid) };
}
