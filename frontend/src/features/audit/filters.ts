import { useEffect, useMemo, useState } from "react";
import { justAfter } from "@/shared/asOf/asOf";
import type { AuditedChange } from "@/shared/history";
import { useAddressParams } from "@/shared/table/useAddressParams";
import { earlier } from "./localTimes";

/** Filters of the trail: query parameters of the address and of the API under one name. */
const FILTER_NAMES = ["q", "entity", "id", "actor", "by", "type", "field", "batch", "from", "to"] as const;

export type FilterName = (typeof FILTER_NAMES)[number];

export const FILTER_LABELS: Readonly<Record<FilterName, string>> = {
  q: "Search",
  entity: "Record type",
  id: "Record ID",
  actor: "Person",
  by: "Made by",
  type: "Kind of change",
  field: "Field",
  batch: "In bulk",
  from: "From",
  to: "To",
};

/** Empty text: no filter. */
export type AuditFilters = Readonly<Record<FilterName, string>>;

const AUDIT_API = "/api/v1/audit";

export function readFilters(params: URLSearchParams): AuditFilters {
  const entries = FILTER_NAMES.map((name) => [name, params.get(name) ?? ""]);
  return Object.fromEntries(entries) as AuditFilters;
}

export function activeNames(filters: AuditFilters): readonly FilterName[] {
  return FILTER_NAMES.filter((name) => filters[name].trim() !== "");
}

/**
 * The API's path of the filtered trail, newest first.
 * @param asOf the moment in view, which limits the trail.
 * @param more further parameters.
 */
export function trailPath(
  filters: AuditFilters,
  asOf: string | null,
  more: Readonly<Record<string, string>> = {},
): string {
  return `${AUDIT_API}?${queryOf(filters, asOf, { order: "desc", ...more })}`;
}

/** The API's path of the number of changes per day, without the time filters. */
export function daysPath(filters: AuditFilters, asOf: string | null, days: readonly string[]): string {
  const { timeZone: zone } = new Intl.DateTimeFormat().resolvedOptions();
  const more = { zone, first: days[0] ?? "", last: days.at(-1) ?? "" };
  return `${AUDIT_API}/days?${queryOf({ ...filters, from: "", to: "" }, asOf, more)}`;
}

function queryOf(filters: AuditFilters, asOf: string | null, more: Readonly<Record<string, string>>) {
  const query = new URLSearchParams(more);
  const to = endOfTrail(filters, asOf);
  // The log has the object as a field, not its members.
  const [field = ""] = filters.field.split(".");
  for (const [name, value] of Object.entries({ ...filters, to, field })) {
    if (value.trim() !== "") query.set(name, value.trim());
  }
  return query;
}

/** The exclusive end of the period, at most just after the moment in view. */
export function endOfTrail({ to }: AuditFilters, asOf: string | null): string {
  if (asOf === null) return to;
  const end = justAfter(asOf);
  return to === "" ? end : earlier(to, end);
}

export type UsedFilters = ReturnType<typeof useAuditFilters>;

/** The trail's filters, stored in the query string. */
export function useAuditFilters() {
  const [params, update] = useAddressParams();
  return useMemo(() => {
    const values = readFilters(params);
    /** Empty text removes a filter. */
    const set = (changes: Partial<Record<FilterName, string>>) =>
      update(Object.fromEntries(Object.entries(changes).map(([name, value]) => [name, value || null])));
    const clear = () => update(Object.fromEntries(FILTER_NAMES.map((name) => [name, null])));
    return { values, active: activeNames(values), set, clear };
  }, [params, update]);
}

/** Names by subject. */
export type People = ReadonlyMap<string, string>;

/** The authors of all changes shown since the screen was opened. */
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

/** The subject of a person given by name or subject. */
export function subjectOf(people: People, text: string): string {
  const wanted = text.trim().toLowerCase();
  const found = [...people].find(([, name]) => name.toLowerCase() === wanted);
  return found && !people.has(text) ? found[0] : text;
}
