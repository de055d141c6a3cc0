import { type FormEvent, type RefObject, useEffect, useRef, useState } from "react";
import { toast } from "@/shared/toast";

/** Why a form cannot be submitted, as a toast says it. */
export interface Refusal {
  title: string;
  message: string;
}

interface BookingSubmit {
  form: RefObject<HTMLFormElement | null>;
  /** Whether the form has been refused: from then on it tells what is missing, field by field. */
  isSubmitted: boolean;
  onSubmit: (event: FormEvent) => void;
}

/** Submits a form, or says in a toast why not and leads to the first field that is to blame. */
export function useBookingSubmit(refusal: () => Refusal | undefined, onAccepted: () => void): BookingSubmit {
  const form = useRef<HTMLFormElement>(null);
  const [refusals, setRefusals] = useState(0);

  useEffect(() => {
    if (refusals > 0) form.current?.querySelector<HTMLElement>("[aria-invalid='true']")?.focus();
  }, [refusals]);

  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    toast.clear();
    const reason = refusal();
    if (reason === undefined) {
      onAccepted();
      return;
    }
    toast.show({ ...reason, intent: "danger" });
    setRefusals((count) => count + 1);
  };

  return { form, isSubmitted: refusals > 0, onSubmit };
}
