import type { Wire } from "@/shared/api/wireTypes.gen";
import type { StatusTone } from "@/shared/ui";

export type PrivacyStatus = Wire<"PrivacyStanding">;

/** A restriction, pending or closed. */
export type PrivacyRequest = Wire<"PrivacyRequest">;

/** The legal ground of a restriction or erasure. */
export type Basis = NonNullable<PrivacyStatus["basis"]>;

export const REQUESTS_API = "/api/v1/privacy/requests";

/** Texts and articles of the law. */
export const BASES: Readonly<Record<Basis, { title: string; says: string; source: string }>> = {
  asked: {
    title: "Requested by the person",
    says: "The person asked for erasure.",
    source: "GDPR art. 17(1)(b), DPDP Act s. 12(3)",
  },
  "purpose-served": {
    title: "No longer needed",
    says: "The data is no longer needed for its purpose.",
    source: "GDPR art. 17(1)(a), DPDP Act s. 8(7)",
  },
  unlawful: {
    title: "Unlawfully held",
    says: "The data was collected or used without a lawful ground.",
    source: "GDPR art. 17(1)(d)",
  },
  contested: {
    title: "Accuracy disputed",
    says: "The accuracy of the data is to be settled first. On this ground nothing can be erased.",
    source: "GDPR art. 18",
  },
};

export const STATES: Readonly<Record<PrivacyStatus["state"], { label: string; tone: StatusTone }>> = {
  active: { label: "Active", tone: "success" },
  restricted: { label: "Restricted", tone: "warning" },
  erasing: { label: "Erasing", tone: "info" },
  erased: { label: "Erased", tone: "danger" },
};

const DAY = 24 * 60 * 60 * 1000;

/** Return the current UTC day, which is how the API counts days. */
export function today(now = Date.now()): string {
  return new Date(now).toISOString().slice(0, 10);
}

/** Return the UTC day a number of days from now. */
export function inDays(days: number, now = Date.now()): string {
  return today(now + days * DAY);
}

/** Return the days until a UTC day; negative when it is past. */
export function daysUntil(day: string, now = Date.now()): number {
  return Math.round((Date.parse(day) - Date.parse(today(now))) / DAY);
}

/** Return whether a legal hold is in force. */
export function isHeld({ hold_until }: Pick<PrivacyStatus, "hold_until">): boolean {
  return hold_until !== null && daysUntil(hold_until) >= 0;
}

/** A person or record whose data is managed, and the texts about it. */
export interface PrivacySubject {
  id: string;
  /** E.g. `driver`. */
  noun: string;
  /** API path. */
  path: string;
  /** API paths of lists that show the subject. */
  listedAt: readonly string[];
  words: {
    /** The effect of restricting, its confirmation, and the status afterwards. */
    restricting: string;
    restricted: string;
    isRestricted: string;
    /** The effect of lifting, and its confirmation. */
    lifting: string;
    lifted: string;
    /** The amount and fate of unencrypted data. */
    inTheClear: (status: PrivacyStatus) => string;
    /** The data erased with the key, and the data kept. */
    goes: (status: PrivacyStatus) => string;
    stays: string;
  };
}
