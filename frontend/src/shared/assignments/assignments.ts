import { useEffect, useRef } from "react";
import type { Wire } from "@/shared/api/wireTypes.gen";
import type { FormValues } from "@/shared/form";
import type { ReferredNoun } from "@/shared/references/references";

export type WireAssignment = Wire<"AssignmentsList">["content"][number];

/** Warnings of the API that a confirmation overrides, by their codes. */
export const WARNINGS: Readonly<Record<string, string>> = {
  licence_ends: "The driver's licence ends in this time",
  unavailable: "A trailer is out of service or in maintenance",
};

export type Party = Exclude<ReferredNoun, "location">;

/** Return where a time is, seen from a moment. */
export function periodOf(
  { starts_at = "", ends_at }: { starts_at?: string | undefined; ends_at?: string | null | undefined },
  moment: Date,
): "past" | "now" | "next" {
  if (Date.parse(starts_at) > moment.getTime()) return "next";
  return ends_at && Date.parse(ends_at) <= moment.getTime() ? "past" : "now";
}

/** Call back when a form's values change to which confirmations apply: driver, trailers or time. */
export function useWhenChanged({ driver, trailers, starts_at, ends_at }: FormValues, drop: () => void): void {
  const about = [driver, trailers, starts_at, ends_at].join(" ");
  const before = useRef(about);
  useEffect(() => {
    if (before.current !== about) drop();
    before.current = about;
  });
}
