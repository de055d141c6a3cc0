import { Button, Dialog } from "@blueprintjs/core";
import { type ComponentType, useId, useState } from "react";
import { useMe, usePermission } from "@/shared/auth/permissions";
import { formatDate } from "@/shared/format/DateText";
import { keepFocus } from "@/shared/ui/ConfirmDialog";
import { EraseForm } from "./EraseForm";
import { EndHoldForm, HoldForm, LiftForm, type PrivacyFormProps, RestrictForm } from "./forms";
import styles from "./privacy.module.css";
import { isHeld, type PrivacyStanding } from "./standing";
import type { PrivacySubject } from "./subject";
import { usePrivacyCommands } from "./usePrivacy";

interface PrivacyActionsProps {
  subject: PrivacySubject;
  standing: PrivacyStanding;
}

const FORMS = {
  restrict: { title: "Restrict", Form: RestrictForm },
  hold: { title: "Set legal hold", Form: HoldForm },
  endHold: { title: "End legal hold?", Form: EndHoldForm },
  lift: { title: "Lift restriction?", Form: LiftForm },
  erase: { title: "Erase for ever?", Form: EraseForm },
} as const satisfies Record<string, { title: string; Form: ComponentType<PrivacyFormProps> }>;

type Action = keyof typeof FORMS;

/** What can be done about somebody's data as it stands, each after a question. */
export function PrivacyActions({ subject, standing }: PrivacyActionsProps) {
  const { state, hold_until } = standing;
  const mayRestrict = usePermission("privacy:restrict");
  const [asked, setAsked] = useState<Action>("restrict");
  const [isOpen, setOpen] = useState(false);
  const commands = usePrivacyCommands(subject);
  const whyNot = useWhyNotErase(standing);
  const whyId = useId();
  const { sub } = useMe();
  if (state === "erasing" || state === "erased") return null;
  if (standing.id === sub) {
    return (
      <p className={`fl-remark ${styles.why}`}>
        Nobody restricts or erases themselves: ask somebody else to.
      </p>
    );
  }

  const ask = (action: Action) => {
    setAsked(action);
    setOpen(true);
  };
  const close = () => setOpen(false);
  const { title, Form } = FORMS[asked];
  return (
    <>
      <div className={styles.actions}>
        {mayRestrict && state === "active" && (
          <Button intent="primary" text="Restrict…" onClick={() => ask("restrict")} />
        )}
        {mayRestrict && state === "restricted" && (
          <>
            <Button
              text={hold_until === null ? "Set Legal Hold…" : "Change Legal Hold…"}
              onClick={() => ask("hold")}
            />
            {hold_until !== null && <Button text="End Legal Hold…" onClick={() => ask("endHold")} />}
            <Button text="Lift Restriction…" onClick={() => ask("lift")} />
          </>
        )}
        <Button
          intent="danger"
          text="Erase…"
          // Not disabled: whoever comes by with the keyboard is to learn why.
          aria-disabled={whyNot !== undefined}
          aria-describedby={whyNot && whyId}
          onClick={() => {
            if (whyNot === undefined) ask("erase");
          }}
        />
      </div>
      {whyNot && (
        <p id={whyId} className={`fl-remark ${styles.why}`}>
          {whyNot}
        </p>
      )}
      <Dialog
        isOpen={isOpen}
        title={title}
        className={styles.dialog ?? ""}
        canOutsideClickClose={false}
        isCloseButtonShown={false}
        onClose={close}
        onOpened={focusFirst}
        // What it was opened with may be gone by then.
        onClosed={keepFocus}
      >
        <Form subject={subject} standing={standing} commands={commands} onClose={close} />
      </Dialog>
    </>
  );
}

/** Puts the focus on what is asked first, unless somebody has begun elsewhere while the dialog opened. */
function focusFirst(dialog: HTMLElement) {
  if (dialog.querySelector("input:focus, textarea:focus, button:focus") !== null) return;
  dialog.querySelector<HTMLElement>("input:checked, input, button")?.focus();
}

/** Why it cannot be erased now, by whoever is signed in; undefined where it can. */
function useWhyNotErase(standing: PrivacyStanding): string | undefined {
  const { sub } = useMe();
  const mayErase = usePermission("privacy:erase");
  const { state, basis, hold_until, asked_by } = standing;
  if (!mayErase) return "You need the permission “privacy:erase” to erase it.";
  if (state !== "restricted") return "It cannot be erased yet: it must be restricted first.";
  if (basis === "contested") {
    return "It cannot be erased while it is contested. When that is settled, lift this, and restrict it on another ground.";
  }
  if (hold_until !== null && isHeld(standing)) {
    return `It cannot be erased before ${formatDate(hold_until)} is over: a legal hold is set.`;
  }
  if (asked_by?.sub === sub) return "You have restricted it yourself: a second person must erase it.";
  return undefined;
}
