import type { Wire } from "@/shared/api/wireTypes.gen";
import { counted } from "@/shared/format/counted";
import { formatMoment } from "@/shared/format/MomentText";
import { type FieldLabels, labelOf } from "@/shared/history";

/** That somebody was shown personal data of a record, or of a list that may have had it. */
export type View = Wire<"View">;

/** What somebody did to be shown it, in words; what only a newer server knows is told by its route. */
export function viewTitle(
  { kind, route, count }: Pick<View, "route" | "count"> & { kind: string },
  noun: string,
): string {
  const changes = count === null ? "" : ` (${counted(count, "change")})`;
  switch (kind) {
    case "record":
      return `Opened the ${noun}`;
    case "list":
      return `Listed ${count === null ? `${noun}s` : counted(count, noun)}`;
    case "choices":
      return `Looked up what ${noun}s can be narrowed to`;
    case "download":
      return `Downloaded ${noun}s`;
    case "history":
      return `Read its history${changes}`;
    case "diff":
      return "Compared two versions of it";
    case "blame":
      return "Looked up who set what";
    case "audit":
      return `Read the audit trail${changes}`;
    case "export":
      return "Downloaded the audit trail with personal data";
    case "due":
      return `Looked up whose documents expire when${count === null ? "" : ` (${counted(count, "document")})`}`;
    case "change":
      return `Sent a change to the ${noun}`;
    case "privacy":
      return "Looked up privacy requests";
    case "seen-by":
      return `Looked up who has seen the ${noun}`;
    case "access-log":
      return "Read the access log";
    default:
      return `Read ${route}`;
  }
}

/** Which part of an answer was asked for: it says nothing of what was looked for. */
const PARTS: ReadonlySet<string> = new Set([
  "cursor",
  "limit",
  "order",
  "page",
  "q_in",
  "size",
  "whole_up_to",
]);

/** What the screens call filters that are no fields. */
const FILTERS: FieldLabels = new Map([
  ["q", "Search"],
  ["sort", "Sorted by"],
  ["version", "Version"],
  ["as_of", "As of"],
  ["from", "From"],
  ["to", "To"],
  ["since", "From"],
  ["until", "To"],
  ["entity", "Record type"],
  ["id", "Record ID"],
  ["actor", "Person"],
  ["type", "Kind of change"],
  ["field", "Field"],
  ["format", "Format"],
]);

/** `City: Nagpur · Search: ravi`; empty where everything was asked for. */
export function filterText({ filter }: View, labels: FieldLabels): string {
  return Object.entries(filter ?? {})
    .filter(([name]) => !PARTS.has(name))
    .map(
      ([name, value]) => `${FILTERS.get(name) ?? labelOf(labels, name)}: ${valueText(name, value, labels)}`,
    )
    .join(" · ");
}

function valueText(name: string, value: unknown, labels: FieldLabels): string {
  if (Array.isArray(value)) return value.join(", ");
  if (typeof value !== "string") return JSON.stringify(value);
  if (name === "sort") {
    const [field = "", direction] = value.split(",");
    return labelOf(labels, field) + (direction === "desc" ? ", descending" : "");
  }
  return /^\d{4}-\d\d-\d\dT/.test(value) ? formatMoment(value, true) : value;
}

/** What answers show of people beside a record's own fields. */
const OF_PEOPLE: FieldLabels = new Map([
  ["actor.name", "Names of people"],
  ["reason", "Reasons"],
  ["filter", "What they asked for"],
  ["client_request_id", "Clients' request ids"],
]);

/** What people call the fields that were shown. */
export function fieldNames({ fields }: View, labels: FieldLabels): readonly string[] {
  return fields.map((field) => OF_PEOPLE.get(field) ?? labelOf(labels, field));
}

/** The server's names of all that is personal in a record, as far as views tell: whoever opens one is shown it all. */
export function personalFields(views: readonly View[]): readonly string[] {
  const whole = views.find(({ kind }) => kind === "record") ?? views.find(({ kind }) => kind === "list");
  return whole?.fields ?? [];
}

/** Whether a view has shown all that is personal in a record. */
export function showsAll({ fields }: View, personal: readonly string[]): boolean {
  return personal.length > 0 && personal.every((name) => fields.includes(name));
}
