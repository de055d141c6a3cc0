import { dayIn } from "@/shared/expiry/expiry";
import { expiredBefore, expiringWithin, type Span } from "@/shared/expiry/spans";
import { DOCUMENTS } from "./documents";

/** The cards' spans, as the query parameter `only` names them. */
export const PRESETS = ["expired", "7", "30", "90"] as const;
export type Preset = (typeof PRESETS)[number];

/** Without a chosen span, the list shows expired documents and those that expire within these days. */
const FURTHEST_DAYS = 90;
/** The last day that the API accepts. */
const NO_END = "9999-12-31";

export interface DueFilters {
  /** The card chosen. */
  preset: Preset | null;
  /** A custom span; empty: open-ended. */
  from: string;
  until: string;
  /** The API's name of the document; empty: all. */
  document: string;
}

/** Read the filters from the query string, ignoring invalid values. */
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

export function spanOf({ preset, from, until }: DueFilters, today: Date): Span {
  if (preset !== null) return presetSpan(preset, today);
  if (from === "" && until === "") return { until: dayIn(FURTHEST_DAYS, today) };
  return { from: from || undefined, until: until || NO_END };
}

function dayOf(text: string | null): string {
  const isDay = text !== null && /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text));
  // `Date` reads 30 February as a day of March.
  return isDay && new Date(text).toISOString().startsWith(text) ? text : "";
}
