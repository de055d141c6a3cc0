import type { Actor, Masked } from "@/shared/history";
import { viewTitle } from "@/shared/records/seen/views";
import { FILTER_LABELS, type FilterName } from "./filters";
import { type AuditedKind, kindTitle } from "./kinds";
import { PART_SIZE } from "./parts";

/** The action of a download without masks. */
export const REVEALED = "audit-export-revealed";

/** That somebody asked for what is otherwise masked, as the server tells it. */
export interface Access extends Masked {
  number: number;
  moment: string;
  actor: Actor | null;
  request_id: string;
  /** e.g. `audit-export-revealed`. */
  action: string;
  details: {
    format?: string;
    /** Of what operators asked for: with which projection. */
    target?: string | null;
    filter?: Readonly<Record<string, unknown>> | null;
    /** Of a view, which records' own pages tell of as well. */
    kind?: string;
    route?: string;
    count?: number | null;
    entity?: string | null;
    id?: string | null;
  };
}

/** The API's path of the access log, the newest first. */
export const ACCESS_PATH = "/api/v1/access-log?order=desc";
/** Its newest part, as it is cached. */
export const NEWEST_ACCESSES = `${ACCESS_PATH}&limit=${PART_SIZE}`;

/** What operators had a worker do. */
const ASKED: Readonly<Record<string, string>> = {
  "system-retry": "Had records tried again that were set aside",
  "system-rebuild": "Had lists built anew",
  "system-verify": "Had the log verified",
};

/** What was done, in words. */
export function accessTitle({ action, details }: Access, kinds: readonly AuditedKind[]): string {
  if (action === "view") {
    const { kind = "", route = "", count = null, entity, id } = details;
    const noun = entity ? kindTitle(kinds, entity).toLowerCase() : "record";
    return viewTitle({ kind, route, count }, id ? `${noun} ${id}` : noun);
  }
  const asked = ASKED[action];
  if (asked !== undefined) return details.target ? `${asked}: ${details.target}` : asked;
  if (action !== REVEALED) return action;
  const format = details.format === undefined ? "" : ` as ${details.format.toUpperCase()}`;
  return `Downloaded the audit trail${format} with personal data`;
}

/** What the server calls a filter that its address calls otherwise. */
const SERVER_NAMES: Readonly<Record<string, FilterName>> = { since: "from", until: "to" };
/** Told as the API has it, to the microsecond: the end does not belong to it. */
const LABELS: Readonly<Record<string, string>> = { ...FILTER_LABELS, to: "Before" };

/** The filters that stood then, each with its name. */
export function accessFilters(
  { details }: Access,
  kinds: readonly AuditedKind[],
): readonly { name: string; label: string; value: string }[] {
  return Object.entries(details.filter ?? {}).map(([given, value]) => {
    const name = SERVER_NAMES[given] ?? given;
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return {
      name,
      label: LABELS[name] ?? name,
      value: name === "entity" ? kindTitle(kinds, text) : text,
    };
  });
}
