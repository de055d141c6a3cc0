import { justAfter } from "@/shared/asOf/asOf";
import { earlier } from "./localTimes";

/** What narrows the trail: parameters of the screen's address and of the API, by the same names. */
export const FILTER_NAMES = ["q", "entity", "id", "actor", "type", "field", "from", "to"] as const;

export type FilterName = (typeof FILTER_NAMES)[number];

/** What people call them. */
export const FILTER_LABELS: Readonly<Record<FilterName, string>> = {
  q: "Search",
  entity: "Record type",
  id: "Record ID",
  actor: "Person",
  type: "Kind of change",
  field: "Field",
  from: "From",
  to: "To",
};

/** Empty text: it does not narrow. */
export type AuditFilters = Readonly<Record<FilterName, string>>;

const AUDIT_API = "/api/v1/audit";

export function readFilters(params: URLSearchParams): AuditFilters {
  const entries = FILTER_NAMES.map((name) => [name, params.get(name) ?? ""]);
  return Object.fromEntries(entries) as AuditFilters;
}

/** The names of those that narrow. */
export function activeNames(filters: AuditFilters): readonly FilterName[] {
  return FILTER_NAMES.filter((name) => filters[name].trim() !== "");
}

/**
 * The API's path for what the filters let through, the newest first.
 * @param asOf the moment that the screens show: nothing after it is asked for.
 * @param more further parameters.
 */
export function trailPath(
  filters: AuditFilters,
  asOf: string | null,
  more: Readonly<Record<string, string>> = {},
): string {
  const query = new URLSearchParams({ order: "desc", ...more });
  const to = asOf === null ? filters.to : capped(filters.to, asOf);
  // A part of an object is not a field of the log: the object is.
  const [field = ""] = filters.field.split(".");
  for (const [name, value] of Object.entries({ ...filters, to, field })) {
    if (value.trim() !== "") query.set(name, value.trim());
  }
  return `${AUDIT_API}?${query}`;
}

/** The end that has what was at the moment, and nothing later. */
function capped(to: string, asOf: string): string {
  const end = justAfter(asOf);
  return to === "" ? end : earlier(to, end);
}
