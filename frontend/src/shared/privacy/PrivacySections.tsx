import { Button, Dialog, Spinner, SpinnerSize } from "@blueprintjs/core";
import { type ReactNode, useId, useState } from "react";
import { SWRConfig } from "swr";
import { NoPastNotice, useAsOf } from "@/shared/asOf";
import { useMe, usePermission } from "@/shared/auth/permissions";
import { Section } from "@/shared/form/Section";
import { DateText, formatDate } from "@/shared/format/DateText";
import { MomentText } from "@/shared/format/MomentText";
import { StatusBadge } from "@/shared/ui";
import { keepFocus } from "@/shared/ui/ConfirmDialog";
import { Facts } from "@/shared/ui/Facts";
import { DownloadButton } from "./DownloadButton";
import { type PrivacyAction, PrivacyForm, titleOf } from "./forms";
import styles from "./privacy.module.css";
import { BASES, isHeld, type PrivacyStanding, type PrivacySubject, STATES } from "./standing";
import { ByWhom, DueText } from "./texts";
import { usePrivacy, usePrivacyCommands } from "./usePrivacy";

interface PrivacySectionsProps {
  subject: PrivacySubject;
  standing: PrivacyStanding;
  /** What is held, in the screens' words; how much of it is in the clear is told besides. */
  held: Readonly<Record<string, ReactNode>>;
  /** There is no such record now. */
  isMissing?: boolean;
}

/** How it stands with somebody's data, what is held, and what can be done about it. */
export function PrivacySections({ subject, standing, held, isMissing = false }: PrivacySectionsProps) {
  const { asOf } = useAsOf();
  return (
    <div className="fl-stack">
      <NoPastNotice what="Restrictions and erasures" />
      {standing.state === "erasing" && (
        <SWRConfig value={CLOSELY}>
          <Followed path={subject.path} />
        </SWRConfig>
      )}
      <Section title="How it stands">
        <Standing subject={subject} standing={standing} isMissing={isMissing} />
        {asOf === null && <PrivacyActions subject={subject} standing={standing} />}
      </Section>
      {standing.state === "erased" && standing.receipt && <Receipt subject={subject} />}
      <Held subject={subject} standing={standing} held={held} />
    </div>
  );
}

/** Whoever has asked for an erasure waits for it. In milliseconds. */
const CLOSELY = { refreshInterval: 2_000, dedupingInterval: 1_000 };

/** Has it asked again how it stands. */
function Followed({ path }: { path: string }) {
  usePrivacy(path);
  return null;
}

/** What is known of somebody, without telling it. */
function Held({ subject, standing, held }: PrivacySectionsProps) {
  const { state } = standing;
  const mayTell =
    usePermission("privacy:restrict", "personal:read") && state !== "erasing" && state !== "erased";
  const path = `${subject.path}/privacy/held`;
  return (
    <Section
      title="What is held"
      facts={{
        ...held,
        "In the clear": subject.words.inTheClear(standing),
      }}
    >
      {mayTell && (
        <>
          <div className={styles.actions}>
            <DownloadButton
              text="Page to Print"
              path={`${path}?format=html`}
              fallback={`held-${subject.id}.html`}
            />
            <DownloadButton text="Everything as JSON" path={path} fallback={`held-${subject.id}.json`} />
          </div>
          <p className={`fl-remark ${styles.why}`}>
            For whoever asks what is known of them (GDPR art. 15). That you download it is recorded.
          </p>
        </>
      )}
    </Section>
  );
}

/** The proof that it is gone. */
function Receipt({ subject }: Pick<PrivacySectionsProps, "subject">) {
  return (
    <Section title="Receipt">
      <DownloadButton
        intent="primary"
        text="Download Receipt"
        path={`${subject.path}/privacy/receipt`}
        fallback={`receipt-${subject.id}.json`}
      />
      <p className={styles.why}>
        It is signed, and says what was destroyed, when, who confirmed it and what it does not cover. Anybody
        who has the public key of the log can check it, without this product running:
      </p>
      <code className={styles.command}>./fleetlog privacy check FILE --key public-key</code>
    </Section>
  );
}

interface StandingProps {
  standing: PrivacyStanding;
  subject: PrivacySubject;
  /** There is no such record now. */
  isMissing: boolean;
}

/** How it stands with what is known of somebody: in a sentence, and since when and why. */
function Standing({ subject, standing, isMissing }: StandingProps) {
  const { state, basis, due, hold_until, asked_at, asked_by, erased_at, erased_by } = standing;
  const isRemoved = state === "active" && isMissing;
  const words = basis && BASES[basis];
  const facts: Record<string, ReactNode> = {
    ...(asked_at !== null && { Restricted: <Done moment={asked_at} by={asked_by} state={state} /> }),
    ...(words && {
      Because: (
        <>
          {words.says} <span className="fl-remark">{words.source}</span>
        </>
      ),
    }),
    ...(due !== null && { "Answer due": <DueText due={due} isSettled={state !== "restricted"} /> }),
    ...(hold_until !== null && { "Legal hold": <Until day={hold_until} isOver={!isHeld(standing)} /> }),
    ...(erased_at !== null && { Erased: <Done moment={erased_at} by={erased_by} state={state} /> }),
  };
  return (
    <>
      <div className={styles.said} role="status">
        {state === "erasing" && <Spinner size={SpinnerSize.SMALL} aria-hidden />}
        <StatusBadge {...(isRemoved ? { label: "Removed" } : STATES[state])} />
        {state === "restricted" && isHeld(standing) && <StatusBadge label="Legal hold" tone="warning" />}
        <span>{sentence(standing, subject, isRemoved)}</span>
      </div>
      {state !== "active" && <Facts of={facts} />}
    </>
  );
}

function sentence(
  { state, in_the_clear }: PrivacyStanding,
  { noun, words }: PrivacySubject,
  isRemoved: boolean,
): string {
  if (isRemoved) return `This ${noun} has been removed. What was known of it is kept, until it is erased.`;
  switch (state) {
    case "active":
      return `Nothing about this ${noun} is restricted.`;
    case "restricted":
      return words.isRestricted;
    case "erasing":
      return "Being erased: its key is destroyed, every service forgets it, and what can be searched is searched. The receipt comes with the next seal of the log.";
    case "erased":
      return in_the_clear === 0
        ? "What was personal is gone for everyone, in the log, its copies and its backups."
        : "What was sealed is gone for everyone, in the log, its copies and its backups. What is in the clear stays in the log.";
  }
}

interface DoneProps extends Pick<PrivacyStanding, "state"> {
  moment: string;
  by: PrivacyStanding["asked_by"];
}

function Done({ moment, by, state }: DoneProps) {
  return (
    <>
      <MomentText moment={moment} />
      {by && ", by "}
      {by && <ByWhom actor={by} state={state} />}
    </>
  );
}

function Until({ day, isOver }: { day: string; isOver: boolean }) {
  return (
    <>
      Until the end of <DateText date={day} />
      {isOver && ", which is over"}
    </>
  );
}

interface PrivacyActionsProps {
  subject: PrivacySubject;
  standing: PrivacyStanding;
}

/** What can be done about somebody's data as it stands, each after a question. */
function PrivacyActions({ subject, standing }: PrivacyActionsProps) {
  const { state, hold_until } = standing;
  const mayRestrict = usePermission("privacy:restrict");
  const [asked, setAsked] = useState<PrivacyAction>("restrict");
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

  const ask = (action: PrivacyAction) => {
    setAsked(action);
    setOpen(true);
  };
  const close = () => setOpen(false);
  const context = { subject, standing, commands };
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
        title={titleOf(asked, context)}
        className={styles.dialog ?? ""}
        canOutsideClickClose={false}
        isCloseButtonShown={false}
        onClose={close}
        onOpened={focusFirst}
        // What it was opened with may be gone by then.
        onClosed={keepFocus}
      >
        <PrivacyForm key={asked} {...context} action={asked} onClose={close} />
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
