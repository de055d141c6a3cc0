import { Link } from "react-router";
import { useAsOf } from "@/shared/asOf/useAsOf";
import { usePermission } from "@/shared/auth/permissions";
import { capitalized } from "@/shared/format/capitalized";
import { type AuditedChange, changeTitle, type FieldLabels, isEnd, kindOf } from "@/shared/history";
import type { RecordDefinition } from "@/shared/records";
import { viewPath } from "@/shared/records/paths";
import { Erased } from "@/shared/ui";

/** A kind of record that the log tells of. */
export interface AuditedKind {
  /** What the log calls it, e.g. `driver`. */
  entity: string;
  /** e.g. `Driver`. */
  title: string;
  labels: FieldLabels;
  /** Where one of them is looked at. */
  pathOf: (id: string) => string;
}

/** A field to look for, by its name in the log, and what the screens call it. */
interface FieldChoice {
  name: string;
  label: string;
}

/** What the audit trail needs to know of the kinds of record. */
export function auditedKinds(definitions: readonly RecordDefinition[]): readonly AuditedKind[] {
  return definitions.map((definition) => ({
    entity: definition.api.noun,
    title: capitalized(definition.api.noun),
    labels: definition.labels,
    pathOf: (id) => viewPath(definition.paths, id),
  }));
}

/** What a kind is called; one that these screens do not know by the log's name. */
export function kindTitle(kinds: readonly AuditedKind[], entity: string): string {
  if (entity === "actor") return "Staff";
  return kinds.find((kind) => kind.entity === entity)?.title ?? capitalized(entity);
}

/** What a filter's kind of change is called, `removed` as well as `driver.removed`. */
export function typeTitle(type: string): string {
  return kindOf(type) === undefined ? type : changeTitle(type);
}

/** The kind of the record that a change is of, and where it is; neither for a kind that is not known here. */
export function recordOf(kinds: readonly AuditedKind[], { entity, id }: AuditedChange) {
  const kind = kinds.find((one) => one.entity === entity);
  return { kind, path: kind?.pathOf(id) };
}

/** Where a change leads: to its record as it was then, or to the history of one that it ended. */
export function changePath(kinds: readonly AuditedKind[], change: AuditedChange): string | undefined {
  const { path } = recordOf(kinds, change);
  if (path === undefined) return undefined;
  return isEnd(change.type) ? `${path}?tab=history` : `${path}?version=${change.version}`;
}

/** The fields to choose from, by label: one for each of the log's names, however many kinds have it. */
export function fieldChoices(kinds: readonly AuditedKind[]): readonly FieldChoice[] {
  const names = new Set(kinds.flatMap(({ labels }) => [...labels.keys()]));
  const choices = [...names].map((name) => {
    const having = kinds.filter(({ labels }) => labels.has(name));
    const labels = new Set(having.map(({ labels }) => labels.get(name)));
    return { name, label: [...labels].join(" / "), owners: having.map(({ title }) => title).join(", ") };
  });
  return choices
    .map(({ name, label, owners }) => {
      const isTwice = choices.some((other) => other.name !== name && other.label === label);
      return { name, label: isTwice ? `${label} (${owners})` : label };
    })
    .sort((a, b) => a.label.localeCompare(b.label));
}

/** What a change's record was called then; by its id where it had no name, or none that is told. */
export function recordTitle(kinds: readonly AuditedKind[], change: AuditedChange): string {
  return `${kindTitle(kinds, change.entity)} ${change.record_name || change.id}`;
}

/** What stands beside that: the id, which stays the same when names change, and why there is no name. */
export function RecordRemark({ change }: { change: AuditedChange }) {
  if (change.record_name) return change.id;
  return change.erased?.includes("record_name") ? <Erased text="Name erased" /> : null;
}

/** That name, and the way to the record as it was then. */
export function RecordLink({ change, kinds }: { change: AuditedChange; kinds: readonly AuditedKind[] }) {
  const { addressOf } = useAsOf();
  const mayFollow = usePermission("fleet:read", "history:read");
  const path = mayFollow ? changePath(kinds, change) : undefined;
  const text = recordTitle(kinds, change);
  return path === undefined ? text : <Link to={addressOf(path)}>{text}</Link>;
}
