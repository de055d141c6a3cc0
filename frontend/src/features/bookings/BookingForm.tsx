import { Button } from "@blueprintjs/core";
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { useNavigate } from "react-router";
import formStyles from "@/shared/form/form.module.css";
import { LeaveDialog, useLeaveGuard } from "@/shared/form/leaveGuard";
import { TELLS_SAVE_KEYS } from "@/shared/form/saveKeys";
import { toast } from "@/shared/toast";
import { LinkButton, PageHeader } from "@/shared/ui";
import { bookingPaths, useBackToBookings } from "./paths";
import type { Refusal } from "./refusals";

interface BookingFormProps {
  title: string;
  submitText: string;
  /** There is something to lose. */
  isChanged: boolean;
  /** Why the form cannot be submitted as it is; undefined when it can. */
  refusal: Refusal | undefined;
  /** The toast that says it has been created. */
  created: { title: string; message: string };
  /** The fields; once the form has been refused, they tell what is missing. */
  children: (isRefused: boolean) => ReactNode;
}

/**
 * The screen of a form for a booking. Submitting it says in a toast why not, and leads to the first field that
 * is to blame; or it leads to the lists. Nothing is sent anywhere: so the specification has it (screens).
 */
export function BookingForm(props: BookingFormProps) {
  const { title, submitText, isChanged, refusal, created, children } = props;
  const navigate = useNavigate();
  const back = useBackToBookings();
  const guard = useLeaveGuard(isChanged);
  const form = useRef<HTMLFormElement>(null);
  const [refusals, setRefusals] = useState(0);

  useEffect(() => {
    if (refusals > 0) form.current?.querySelector<HTMLElement>("[aria-invalid='true']")?.focus();
  }, [refusals]);

  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    toast.clear();
    if (refusal !== undefined) {
      toast.show({ ...refusal, intent: "danger" });
      setRefusals((count) => count + 1);
      return;
    }
    toast.show({ ...created, intent: "success" });
    guard.release();
    navigate(bookingPaths.list);
  };

  return (
    <>
      <PageHeader title={title} back={back} />
      <form ref={form} className="fl-stack" aria-label={title} noValidate onSubmit={onSubmit}>
        {children(refusals > 0)}
        <div className={formStyles.bar}>
          <Button type="submit" {...TELLS_SAVE_KEYS} intent="primary" text={submitText} />
          <LinkButton to={back.to} text="Cancel" />
        </div>
      </form>
      <LeaveDialog guard={guard} />
    </>
  );
}
