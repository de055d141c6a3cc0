import { useEffect, useMemo, useState } from "react";
import { justAfter } from "@/shared/asOf/asOf";
import type { AuditedChange } from "@/shared/history";
import { useAddressParams } from "@/shared/table/useAddressParams";
import { earlier } from "./localTimes";

/** What narrows the trail: parameters of the screen's address and of the API, by the same names. */
const FILTER_NAMES = ["q", "entity", "id", "actor", "type", "field", "batch", "from", "to"] as const;

export type FilterName = (typeof FILTER_NAMES)[number];

/** What people call them. */
export const FILTER_LABELS: Readonly<Record<FilterName, string>> = {
  q: "Search",
  entity: "Record type",
  id: "Record ID",
  actor: "Person",
  type: "Kind of change",
  field: "Field",
  batch: "In bulk",
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
  return `${AUDIT_API}?${queryOf(filters, asOf, { order: "desc", ...more })}`;
}

/** The API's path for how much of it there is on each day from the first to the last, whatever times are chosen. */
export function daysPath(filters: AuditFilters, asOf: string | null, days: readonly string[]): string {
  const { timeZone: zone } = new Intl.DateTimeFormat().resolvedOptions();
  const more = { zone, first: days[0] ?? "", last: days.at(-1) ?? "" };
  return `${AUDIT_API}/days?${queryOf({ ...filters, from: "", to: "" }, asOf, more)}`;
}

function queryOf(filters: AuditFilters, asOf: string | null, more: Readonly<Record<string, string>>) {
  const query = new URLSearchParams(more);
  const to = asOf === null ? filters.to : capped(filters.to, asOf);
  // A part of an object is not a field of the log: the object is.
  const [field = ""] = filters.field.split(".");
  for (const [name, value] of Object.entries({ ...filters, to, field })) {
    if (value.trim() !== "") query.set(name, value.trim());
  }
  return query;
}

/** The end that has what was at the moment, and nothing later. */
function capped(to: string, asOf: string): string {
  const end = justAfter(asOf);
  return to === "" ? end : earlier(to, end);
}

/** The trail's filters, which live in the address, so that they can be sent and gone back to. */
export interface UsedFilters {
  values: AuditFilters;
  /** Those that narrow. */
  active: readonly FilterName[];
  /** Empty text takes a filter away. */
  set: (changes: Partial<Record<FilterName, string>>) => void;
  clear: () => void;
}

export function useAuditFilters(): UsedFilters {
  const [params, update] = useAddressParams();
  return useMemo(() => {
    const values = readFilters(params);
    const set: UsedFilters["set"] = (changes) =>
      update(Object.fromEntries(Object.entries(changes).map(([name, value]) => [name, value || null])));
    const clear = () => update(Object.fromEntries(FILTER_NAMES.map((name) => [name, null])));
    return { values, active: activeNames(values), set, clear };
  }, [params, update]);
}

/** Names of people by their subjects. */
export type People = ReadonlyMap<string, string>;

/** Everybody whose changes have been shown since the screen was opened. */
export function usePeople(changes: readonly AuditedChange[] | undefined): People {
  const [people, setPeople] = useState<People>(new Map());
  useEffect(() => {
    const seen = (changes ?? []).flatMap(({ actor }) =>
      actor?.name ? [[actor.sub, actor.name] as const] : [],
    );
    setPeople((known) =>
      seen.some(([sub]) => !known.has(sub)) ? new Map([...seen.reverse(), ...known]) : known,
    );
  }, [changes]);
  return people;
}

/** The subject of the person that a text names, by either. */
export function subjectOf(people: People, text: string): string {
  const wanted = text.trim().toLowerCase();
  const found = [...people].find(([, name]) => name.toLowerCase() === wanted);
  return found && !people.has(text) ? found[0] : text;
}
