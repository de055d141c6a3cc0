import type { Wire } from "@/shared/api/wireTypes.gen";
import { daysLeft } from "@/shared/expiry/expiry";
import { counted } from "@/shared/format/counted";

export type WireDueDate = Wire<"DueDate">;

export const DOCUMENTS: Readonly<Record<WireDueDate["document"], string>> = {
  licence: "Driving license",
  passport: "Passport",
};

export interface DueDate {
  /** Driver and document, so that a renewal keeps the id. */
  id: string;
  driver: string;
  name: string;
  phone: string;
  document: string;
  /** The last valid day. */
  date: string;
  /** Days until then; negative after expiry. */
  left: number;
}

export function dueDateOf(wire: WireDueDate, today: Date): DueDate {
  const { driver, document, date } = wire;
  return {
    id: `${driver}/${document}`,
    driver,
    name: wire.name ?? "",
    phone: wire.mobile_number ?? "",
    document: DOCUMENTS[document],
    date,
    left: daysLeft(date, today) ?? 0,
  };
}

/** `Expired 12 days ago`, `Today`, `In 5 days`. */
export function leftText(left: number): string {
  if (left === 0) return "Today";
  const days = counted(Math.abs(left), "day");
  return left < 0 ? `Expired ${days} ago` : `In ${days}`;
}

export function driverPath(id: string): string {
  return `/management/drivers/${encodeURIComponent(id)}`;
}
