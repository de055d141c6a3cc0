import type { Wire } from "@/shared/api/wireTypes.gen";

export type DueDocument = Wire<"DueDate">["document"];

export const DOCUMENTS: Readonly<Record<DueDocument, string>> = {
  licence: "Driving license",
  passport: "Passport",
};

/** A driver's reminders, of documents to acknowledge one at a time. */
export interface Acknowledgement {
  driver: string;
  name: string;
  documents: readonly DueDocument[];
}
