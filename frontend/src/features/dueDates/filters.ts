import { dayIn } from "@/shared/expiry/expiry";
import { expiredBefore, expiringWithin, type Span } from "@/shared/expiry/spans";
import { DOCUMENTS } from "./documents";

/** The spans on the cards, by what the address calls them. */
export const PRESETS = ["expired", "7", "30", "90"] as const;
export type Preset = (typeof PRESETS)[number];

/** What the list shows unless another span is chosen: what has expired, and what will. */
const FURTHEST_DAYS = 90;
/** The last day that there is in an address of the API. */
const NO_END = "9999-12-31";

/** What a reader has made of the list. */
export interface DueFilters {
  /** The card chosen. */
  preset: Preset | null;
  /** A span of one's own; empty: it has no such end. */
  from: string;
  until: string;
  /** What the API calls it; empty: all. */
  document: string;
}

/** Reads them from the address; what cannot be read counts for nothing. */
export function readFilters(params: URLSearchParams): DueFilters {
  const [from, until] = [dayOf(params.get("from")), dayOf(params.get("until"))];
  const document = params.get("document") ?? "";
  const only = params.get("only");
  const isOwn = from !== "" || until !== "";
  return {
    preset: isOwn ? null : (PRESETS.find((preset) => preset === only) ?? null),
    from,
    until,
    document: Object.hasOwn(DOCUMENTS, document) ? document : "",
  };
}

export function presetSpan(preset: Preset, today: Date): Span {
  return preset === "expired" ? expiredBefore(today) : expiringWithin(Number(preset), today);
}

/** The days that the list is about. */
export function spanOf({ preset, from, until }: DueFilters, today: Date): Span {
  if (preset !== null) return presetSpan(preset, today);
  if (from === "" && until === "") return { until: dayIn(FURTHEST_DAYS, today) };
  return { from: from || undefined, until: until || NO_END };
}

function dayOf(text: string | null): string {
  const isDay = text !== null && /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text));
  // 30 February is read as a day of March.
  return isDay && new Date(text).toISOString().startsWith(text) ? text : "";
}
