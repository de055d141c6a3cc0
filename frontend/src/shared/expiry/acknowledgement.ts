import type { Wire } from "@/shared/api/wireTypes.gen";

export type DueDocument = Wire<"DueDate">["document"];

export const DOCUMENTS: Readonly<Record<DueDocument, string>> = {
  licence: "Driving license",
  passport: "Passport",
};

/** A driver's reminders, one of which is to be acknowledged. */
export interface Acknowledgement {
  driver: string;
  name: string;
  documents: readonly DueDocument[];
}
