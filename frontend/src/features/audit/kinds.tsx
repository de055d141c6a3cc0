import { Link } from "react-router";
import { useAsOf } from "@/shared/asOf/useAsOf";
import { usePermission } from "@/shared/auth/permissions";
import { capitalized } from "@/shared/format/capitalized";
import { type AuditedChange, changeTitle, type FieldLabels, isEnd, kindOf } from "@/shared/history";
import type { RecordDefinition } from "@/shared/records";
import { viewPath } from "@/shared/records/paths";
import { Erased } from "@/shared/ui";

/** A kind of record in the log. */
export interface AuditedKind {
  /** The log's name, e.g. `driver`. */
  entity: string;
  /** e.g. `Driver`. */
  title: string;
  labels: FieldLabels;
  /** The address of a record. */
  pathOf: (id: string) => string;
}

export function auditedKinds(definitions: readonly RecordDefinition[]): readonly AuditedKind[] {
  return definitions.map((definition) => ({
    entity: definition.api.noun,
    title: capitalized(definition.api.noun),
    labels: definition.labels,
    pathOf: (id) => viewPath(definition.paths, id),
  }));
}

/** The title of a kind; the log's name for an unknown one. */
export function kindTitle(kinds: readonly AuditedKind[], entity: string): string {
  if (entity === "actor") return "Staff";
  return kinds.find((kind) => kind.entity === entity)?.title ?? capitalized(entity);
}

/** The title of a type of change, given as `removed` or `driver.removed`. */
export function typeTitle(type: string): string {
  return kindOf(type) === undefined ? type : changeTitle(type);
}

/** The kind and the address of a change's record; undefined for an unknown kind. */
export function recordOf(kinds: readonly AuditedKind[], { entity, id }: AuditedChange) {
  const kind = kinds.find((one) => one.entity === entity);
  return { kind, path: kind?.pathOf(id) };
}

/** The address of a change: the record's version, or the history of a removed record. */
export function changePath(kinds: readonly AuditedKind[], change: AuditedChange): string | undefined {
  const { path } = recordOf(kinds, change);
  if (path === undefined) return undefined;
  return isEnd(change.type) ? `${path}?tab=history` : `${path}?version=${change.version}`;
}

/** The choices of the field filter, sorted by label: one for each of the log's names. */
export function fieldChoices(kinds: readonly AuditedKind[]) {
  const names = new Set(kinds.flatMap(({ labels }) => [...labels.keys()]));
  const choices = [...names].map((name) => {
    const having = kinds.filter(({ labels }) => labels.has(name));
    const labels = new Set(having.map(({ labels }) => labels.get(name)?.label));
    return { name, label: [...labels].join(" / "), owners: having.map(({ title }) => title).join(", ") };
  });
  return choices
    .map(({ name, label, owners }) => {
      const isTwice = choices.some((other) => other.name !== name && other.label === label);
      return { name, label: isTwice ? `${label} (${owners})` : label };
    })
    .sort((a, b) => a.label.localeCompare(b.label));
}

/** The record's title at the time of a change: its name, or its id if the name is missing or masked. */
export function recordTitle(kinds: readonly AuditedKind[], change: AuditedChange): string {
  return `${kindTitle(kinds, change.entity)} ${change.record_name || change.id}`;
}

/** The id after the title, or the note that the name was erased. */
export function RecordRemark({ change }: { change: AuditedChange }) {
  if (change.record_name) return change.id;
  return change.erased?.includes("record_name") ? <Erased text="Name erased" /> : null;
}

/** The title as a link to the record's version. */
export function RecordLink({ change, kinds }: { change: AuditedChange; kinds: readonly AuditedKind[] }) {
  const { addressOf } = useAsOf();
  const mayFollow = usePermission("fleet:read", "history:read");
  const path = mayFollow ? changePath(kinds, change) : undefined;
  const text = recordTitle(kinds, change);
  return path === undefined ? text : <Link to={addressOf(path)}>{text}</Link>;
}
