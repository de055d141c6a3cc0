import type { Wire } from "@/shared/api/wireTypes.gen";
import { counted } from "@/shared/format/counted";
import { formatMoment } from "@/shared/format/MomentText";
import { type FieldLabels, labelOf, shownValue } from "@/shared/history";

/** A view of personal data in a record, or in a list that may have contained it. */
export type View = Wire<"View">;

/** Describe a view; an unknown kind by its route. */
export function viewTitle({ kind, route, count }: View, noun: string): string {
  const changes = count === null ? "" : ` (${counted(count, "change")})`;
  switch (kind) {
    case "record":
      return `Opened the ${noun}`;
    case "list":
      return `Listed ${count === null ? `${noun}s` : counted(count, noun)}`;
    case "choices":
      return `Looked up filter values of ${noun}s`;
    case "download":
      return `Downloaded ${noun}s`;
    case "history":
      return `Read the history${changes}`;
    case "diff":
      return "Compared two versions";
    case "blame":
      return "Looked up who changed each field";
    case "audit":
      return `Read the audit trail${changes}`;
    case "export":
      if (route.endsWith("/held")) return `Downloaded the data held about the ${noun}`;
      return "Downloaded the audit trail with personal data";
    case "due":
      return `Looked up document expiry dates${count === null ? "" : ` (${counted(count, "document")})`}`;
    case "mail":
      return `Confirmed the address to which an e-mail about the ${noun} was sent`;
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

/** Parameters that select a part of an answer. */
const PARTS = /^(?:cursor|limit|order|page|q_in|size|whole_up_to)$/;

/** Labels of filters that are not fields. */
const FILTERS: ReadonlyMap<string, string> = new Map([
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
  ["by", "Made by"],
  ["type", "Kind of change"],
  ["field", "Field"],
  ["format", "Format"],
  ["subscription", "Subscription"],
]);

/** Describe a view's filters: `City: Nagpur · Search: ravi`. */
export function filterText({ filter }: View, labels: FieldLabels): string {
  return Object.entries(filter ?? {})
    .filter(([name]) => !PARTS.test(name))
    .map(
      ([name, value]) => `${FILTERS.get(name) ?? labelOf(labels, name)}: ${valueText(name, value, labels)}`,
    )
    .join(" · ");
}

function valueText(name: string, value: unknown, labels: FieldLabels): string {
  if (Array.isArray(value)) return value.map((one) => shownValue(labels, name, one)).join(", ");
  if (typeof value !== "string") return JSON.stringify(value);
  if (name === "sort") {
    const [field = "", direction] = value.split(",");
    return labelOf(labels, field) + (direction === "desc" ? ", descending" : "");
  }
  return /^\d{4}-\d\d-\d\dT/.test(value) ? formatMoment(value, true) : shownValue(labels, name, value);
}

/** Labels of personal data outside a record's fields. */
const OF_PEOPLE: ReadonlyMap<string, string> = new Map([
  ["actor.name", "Names of people"],
  ["reason", "Reasons"],
  ["filter", "Their filters"],
  ["client_request_id", "Clients' request ids"],
]);

export function fieldNames({ fields }: View, labels: FieldLabels): readonly string[] {
  return fields.map((field) => OF_PEOPLE.get(field) ?? labelOf(labels, field));
}
