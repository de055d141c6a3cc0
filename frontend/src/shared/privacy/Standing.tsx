import { Spinner, SpinnerSize } from "@blueprintjs/core";
import type { ReactNode } from "react";
import { DateText } from "@/shared/format/DateText";
import { MomentText } from "@/shared/format/MomentText";
import { StatusBadge } from "@/shared/ui";
import { Facts } from "@/shared/ui/Facts";
import { ByWhom } from "./ByWhom";
import { DueText } from "./DueText";
import styles from "./privacy.module.css";
import { BASES, isHeld, type PrivacyStanding, STATES } from "./standing";
import type { PrivacySubject } from "./subject";

interface StandingProps {
  standing: PrivacyStanding;
  subject: PrivacySubject;
  /** There is no such record now. */
  isMissing: boolean;
}

/** How it stands with what is known of somebody: in a sentence, and since when and why. */
export function Standing({ subject, standing, isMissing }: StandingProps) {
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
