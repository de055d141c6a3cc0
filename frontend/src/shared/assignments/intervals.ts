import { useApiQuery } from "@/shared/api/useApiQuery";
import type { Wire } from "@/shared/api/wireTypes.gen";
import { assignment } from "@/shared/records/entities.gen";
import type { ReferredNoun } from "@/shared/references/references";

interface Question extends Partial<Record<ReferredNoun | "at" | "until" | "known_at", string>> {
  size?: number;
}

/** Return the path of the intervals that match, the latest start first, with the names of their records. */
export function intervalsPath({ size, ...question }: Question): string {
  const asked = new URLSearchParams({ ...question, ...(size && { size: String(size) }), names: "true" });
  return `${assignment.path}?${asked}`;
}

/** A page of intervals, with the names of the records that the user may see. */
export type Intervals = Wire<"AssignmentsList">;

/** Query intervals; undefined for no request. */
export function useIntervals(question: Question | undefined) {
  return useApiQuery<Intervals>(question === undefined ? null : intervalsPath(question));
}
