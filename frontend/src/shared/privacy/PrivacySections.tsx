import { Button, Spinner, SpinnerSize } from "@blueprintjs/core";
import { type ReactNode, useId, useState } from "react";
import { NoPastNotice, useAsOf } from "@/shared/asOf";
import { useMe, usePermission } from "@/shared/auth/permissions";
import { Section } from "@/shared/form/Section";
import { DateText, formatDate } from "@/shared/format/DateText";
import { MomentText } from "@/shared/format/MomentText";
import { StatusBadge } from "@/shared/ui";
import { Facts } from "@/shared/ui/Facts";
import { DownloadButton } from "./DownloadButton";
import { type PrivacyAction, PrivacyDialog } from "./forms";
import styles from "./privacy.module.css";
import { BASES, isHeld, type PrivacyStatus, type PrivacySubject, STATES } from "./status";
import { ByWhom, DueText } from "./texts";
import { usePrivacy } from "./usePrivacy";

interface PrivacySectionsProps {
  subject: PrivacySubject;
  status: PrivacyStatus;
  /** Data held, by label; the amount of unencrypted data is added. */
  held: Readonly<Record<string, ReactNode>>;
  isMissing?: boolean;
}

/** A subject's privacy status, the data held, and the actions on both. */
export function PrivacySections({ subject, status, held, isMissing = false }: PrivacySectionsProps) {
  const { asOf } = useAsOf();
  usePrivacy(subject.path, status.state === "erasing" ? CLOSELY : {});
  return (
    <div className="fl-stack">
      <NoPastNotice what="Restrictions and erasures" />
      <Section title="Status">
        <Status subject={subject} status={status} isMissing={isMissing} />
        {asOf === null && <PrivacyActions subject={subject} status={status} />}
      </Section>
      {status.state === "erased" && status.receipt && <Receipt subject={subject} />}
      <Held subject={subject} status={status} held={held} />
    </div>
  );
}

/** In milliseconds: the user waits for an erasure. */
const CLOSELY = { refreshInterval: 2_000, dedupingInterval: 1_000 };

function Held({ subject, status, held }: PrivacySectionsProps) {
  const { state } = status;
  const mayTell =
    usePermission("privacy:restrict", "personal:read") && state !== "erasing" && state !== "erased";
  const path = `${subject.path}/privacy/held`;
  return (
    <Section title="Data held" facts={{ ...held, "Not encrypted": subject.words.inTheClear(status) }}>
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
            For subject access requests (GDPR Art. 15). Downloads are logged.
          </p>
        </>
      )}
    </Section>
  );
}

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
        The signed receipt states what was destroyed, when, who confirmed it and what it does not cover.
        Anyone with the public key of the log can check it offline:
      </p>
      <code className={styles.command}>./fleetlog privacy check FILE --key public-key</code>
    </Section>
  );
}

function Status({ subject, status, isMissing = false }: Omit<PrivacySectionsProps, "held">) {
  const { state, basis, due, hold_until, asked_at, asked_by, erased_at, erased_by } = status;
  const isRemoved = state === "active" && isMissing;
  const words = basis && BASES[basis];
  const done = (moment: string, by: PrivacyStatus["asked_by"]) => (
    <>
      <MomentText moment={moment} />
      {by && ", by "}
      {by && <ByWhom actor={by} state={state} />}
    </>
  );
  const facts: Record<string, ReactNode> = {
    ...(asked_at !== null && { Restricted: done(asked_at, asked_by) }),
    ...(words && {
      Ground: (
        <>
          {words.says} <span className="fl-remark">{words.source}</span>
        </>
      ),
    }),
    ...(due !== null && { "Answer due": <DueText due={due} isSettled={state !== "restricted"} /> }),
    ...(hold_until !== null && {
      "Legal hold": (
        <>
          Until the end of <DateText date={hold_until} />
          {!isHeld(status) && " (over)"}
        </>
      ),
    }),
    ...(erased_at !== null && { Erased: done(erased_at, erased_by) }),
  };
  return (
    <>
      <div className={styles.said} role="status">
        {state === "erasing" && <Spinner size={SpinnerSize.SMALL} aria-hidden />}
        <StatusBadge {...(isRemoved ? { label: "Removed" } : STATES[state])} />
        {state === "restricted" && isHeld(status) && <StatusBadge label="Legal hold" tone="warning" />}
        <span>{sentence(status, subject, isRemoved)}</span>
      </div>
      {state !== "active" && <Facts of={facts} />}
    </>
  );
}

function sentence(
  { state, in_the_clear }: PrivacyStatus,
  { noun, words }: PrivacySubject,
  isRemoved: boolean,
): string {
  if (isRemoved) return `This ${noun} has been removed. Its personal data is kept until it is erased.`;
  switch (state) {
    case "active":
      return `No restriction applies to this ${noun}.`;
    case "restricted":
      return words.isRestricted;
    case "erasing":
      return "The key is being destroyed, and every service drops its copies. The receipt follows with the next seal of the log.";
    case "erased":
      return in_the_clear === 0
        ? "Personal data is erased for everyone: in the log, its copies and its backups."
        : "Encrypted personal data is erased for everyone: in the log, its copies and its backups. Unencrypted data stays in the log.";
  }
}

function PrivacyActions({ subject, status }: Pick<PrivacySectionsProps, "subject" | "status">) {
  const { state, hold_until } = status;
  const mayRestrict = usePermission("privacy:restrict");
  const [asked, setAsked] = useState<{ action: PrivacyAction; isOpen: boolean; key: number }>();
  const whyNot = useWhyNotErase(status, subject.noun);
  const whyId = useId();
  const { sub } = useMe();
  if (state === "erasing" || state === "erased") return null;
  if (status.id === sub) {
    return (
      <p className={`fl-remark ${styles.why}`}>
        You cannot restrict or erase yourself: ask a colleague to do it.
      </p>
    );
  }

  const ask = (action: PrivacyAction) => setAsked({ action, isOpen: true, key: (asked?.key ?? 0) + 1 });
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
          // Not disabled: keyboard users must be able to reach the reason.
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
      {asked && (
        <PrivacyDialog
          {...asked}
          key={asked.key}
          subject={subject}
          status={status}
          onClose={() => setAsked({ ...asked, isOpen: false })}
        />
      )}
    </>
  );
}

/** Return why the signed-in user cannot erase now; undefined if they can. */
function useWhyNotErase(status: PrivacyStatus, noun: string): string | undefined {
  const { sub } = useMe();
  const mayErase = usePermission("privacy:erase");
  const { state, basis, hold_until, asked_by } = status;
  if (!mayErase) return "You need the privacy:erase permission to erase.";
  if (state !== "restricted") return `Restrict this ${noun} before erasing.`;
  if (basis === "contested") {
    return "Its accuracy is disputed. Once that is settled, lift the restriction and restrict on another ground.";
  }
  if (hold_until !== null && isHeld(status)) {
    return `A legal hold blocks erasure until ${formatDate(hold_until)} is over.`;
  }
  if (asked_by?.sub === sub) return "You restricted it yourself: a second person must erase it.";
  return undefined;
}
