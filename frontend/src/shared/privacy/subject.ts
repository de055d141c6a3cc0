import type { PrivacyStanding } from "./standing";

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
