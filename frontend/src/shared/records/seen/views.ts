import type { Wire } from "@/shared/api/wireTypes.gen";
import { counted } from "@/shared/format/counted";
import { formatMoment } from "@/shared/format/MomentText";
import { type FieldLabels, labelOf, shownValue } from "@/shared/history";

/** A view of personal data in a record, or in a list that may have contained it. */
export type View = Wire<"View">;

/** Describe a view; an unknown kind by its route. */
export function viewTitle({ kind, route, count }: View, noun: string): string {
  const counts = (what: string) => (count === null ? "" : ` (${counted(count, what)})`);
  const titles: Readonly<Record<string, string>> = {
    record: `Opened the ${noun}`,
    list: `Listed ${count === null ? `${noun}s` : counted(count, noun)}`,
    choices: `Looked up filter values of ${noun}s`,
    download: `Downloaded ${noun}s`,
    history: `Read the history${counts("change")}`,
    diff: "Compared two versions",
    blame: "Looked up who changed each field",
    audit: `Read the audit trail${counts("change")}`,
    export: `Downloaded the ${route.endsWith("/held") ? `data held about the ${noun}` : "audit trail with personal data"}`,
    due: `Looked up document expiry dates${counts("document")}`,
    mail: `Confirmed the address to which an e-mail about the ${noun} was sent`,
    change: `Sent a change to the ${noun}`,
    privacy: "Looked up privacy requests",
    "seen-by": `Looked up who has seen the ${noun}`,
    "access-log": "Read the access log",
  };
  return titles[kind] ?? `Read ${route}`;
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
