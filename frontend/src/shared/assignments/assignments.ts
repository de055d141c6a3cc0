import { useEffect, useRef } from "react";
import { useApiQuery } from "@/shared/api/useApiQuery";
import type { Wire } from "@/shared/api/wireTypes.gen";
import type { FormValues } from "@/shared/form";
import { assignment } from "@/shared/records/entities.gen";
import type { Names, ReferredNoun } from "@/shared/references/references";

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

interface Question extends Partial<Record<ReferredNoun | "at" | "until" | "known_at", string>> {
  size?: number;
}

/** Return the path of the intervals that match, the latest start first, with the names of their records. */
export function intervalsPath({ size, ...question }: Question): string {
  const asked = new URLSearchParams({ ...question, ...(size && { size: String(size) }), names: "true" });
  return `${assignment.path}?${asked}`;
}

/** Query intervals; undefined for no request. */
export function useIntervals(question: Question | undefined) {
  return useApiQuery<Wire<"AssignmentsList"> & { names?: Names }>(
    question === undefined ? null : intervalsPath(question),
  );
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
