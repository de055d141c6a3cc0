import type { Wire } from "@/shared/api/wireTypes.gen";
import type { StatusTone } from "@/shared/ui";

/** How it stands with a record. */
export type PrivacyStanding = Wire<"PrivacyStanding">;

/** One restriction, whatever has become of it. */
export type PrivacyRequest = Wire<"PrivacyRequest">;

type PrivacyState = PrivacyStanding["state"];

/** Why it is restricted, or erased. */
export type Basis = NonNullable<PrivacyStanding["basis"]>;

/** All restrictions, as the API lists them. */
export const REQUESTS_API = "/api/v1/privacy/requests";

interface BasisWords {
  title: string;
  says: string;
  /** The law's places. */
  source: string;
}

export const BASES: Readonly<Record<Basis, BasisWords>> = {
  asked: {
    title: "The person asks",
    says: "Whoever it is about asks that it be erased.",
    source: "GDPR art. 17(1)(b), DPDP Act s. 12(3)",
  },
  "purpose-served": {
    title: "It has served its purpose",
    says: "It is not needed any more for what it was collected for.",
    source: "GDPR art. 17(1)(a), DPDP Act s. 8(7)",
  },
  unlawful: {
    title: "It should not be there",
    says: "It was collected or used without a lawful ground.",
    source: "GDPR art. 17(1)(d)",
  },
  contested: {
    title: "It is contested",
    says: "Whether it is right is to be settled first. On this ground nothing can be erased.",
    source: "GDPR art. 18",
  },
};

export const STATES: Readonly<Record<PrivacyState, { label: string; tone: StatusTone }>> = {
  active: { label: "Active", tone: "success" },
  restricted: { label: "Restricted", tone: "warning" },
  erasing: { label: "Erasing", tone: "info" },
  erased: { label: "Erased", tone: "danger" },
};

const DAY = 24 * 60 * 60 * 1000;

/** The day, as the API counts days. */
export function today(now = Date.now()): string {
  return new Date(now).toISOString().slice(0, 10);
}

/** The day so many days from now. */
export function inDays(days: number, now = Date.now()): string {
  return today(now + days * DAY);
}

/** How many days there are until a day; negative when it is past. */
export function daysUntil(day: string, now = Date.now()): number {
  return Math.round((Date.parse(day) - Date.parse(today(now))) / DAY);
}

/** Whether a legal hold is in force. */
export function isHeld({ hold_until }: Pick<PrivacyStanding, "hold_until">): boolean {
  return hold_until !== null && daysUntil(hold_until) >= 0;
}

/** Whose data it is, and how that is spoken of. */
export interface PrivacySubject {
  id: string;
  /** What it is, e.g. `driver`. */
  noun: string;
  /** Of the API. */
  path: string;
  /** Which other answers of the API tell of it: paths. */
  listedAt: readonly string[];
  words: SubjectWords;
}

/** What is said where subjects differ. */
interface SubjectWords {
  /** What restricting does; said once that is done; and how it stands then. */
  restricting: string;
  restricted: string;
  isRestricted: string;
  /** What lifting it does, and said once that is done. */
  lifting: string;
  lifted: string;
  /** How much of it is in the clear, and what becomes of that. */
  inTheClear: (standing: PrivacyStanding) => string;
  /** What goes with the key, and what stays all the same. */
  goes: (standing: PrivacyStanding) => string;
  stays: string;
}
