import { Link } from "react-router";
import { useAsOf } from "@/shared/asOf/useAsOf";
import { permissionTo, usePermission } from "@/shared/auth/permissions";
import { capitalized } from "@/shared/format/capitalized";
import { type AuditedChange, changeTitle, isEnd, kindOf } from "@/shared/history";
import type { RecordDefinition } from "@/shared/records";
import { viewPath } from "@/shared/records/paths";
import { Erased } from "@/shared/ui";

/** The title of a kind, given by the log's name. */
export function kindTitle(entity: string): string {
  return entity === "actor" ? "Staff" : capitalized(entity);
}

/** The declaration of a kind, given by the log's name. */
export function definitionOf(
  kinds: readonly RecordDefinition[],
  entity: string,
): RecordDefinition | undefined {
  return kinds.find(({ api }) => api.noun === entity);
}

/** The title of a type of change, given as `removed` or `driver.removed`. */
export function typeTitle(type: string): string {
  return kindOf(type) === undefined ? type : changeTitle(type);
}

/** The address of a change's record; undefined for an unknown kind. */
export function recordPath(
  kinds: readonly RecordDefinition[],
  { entity, id }: AuditedChange,
): string | undefined {
  const definition = definitionOf(kinds, entity);
  return definition && viewPath(definition.paths, id);
}

/** The address of a change: the record's version, or the history of a removed record. */
export function changePath(kinds: readonly RecordDefinition[], change: AuditedChange): string | undefined {
  const path = recordPath(kinds, change);
  if (path === undefined) return undefined;
  return isEnd(change.type) ? `${path}?tab=history` : `${path}?version=${change.version}`;
}

/** The choices of the field filter, sorted by label: one for each of the log's names. */
export function fieldChoices(kinds: readonly RecordDefinition[]) {
  const names = new Set(kinds.flatMap(({ labels }) => [...labels.keys()]));
  const choices = [...names].map((name) => {
    const having = kinds.filter(({ labels }) => labels.has(name));
    const labels = new Set(having.map(({ labels }) => labels.get(name)?.label));
    return {
      name,
      label: [...labels].join(" / "),
      owners: having.map(({ api }) => kindTitle(api.noun)).join(", "),
    };
  });
  return choices
    .map(({ name, label, owners }) => {
      const isTwice = choices.some((other) => other.name !== name && other.label === label);
      return { name, label: isTwice ? `${label} (${owners})` : label };
    })
    .sort((a, b) => a.label.localeCompare(b.label));
}

/** The record's title at the time of a change: its name, or its id if the name is missing or masked. */
export function recordTitle(change: AuditedChange): string {
  return `${kindTitle(change.entity)} ${change.record_name || change.id}`;
}

/** The id after the title, or the note that the name was erased. */
export function RecordRemark({ change }: { change: AuditedChange }) {
  if (change.record_name) return change.id;
  return change.erased?.includes("record_name") ? <Erased text="Name erased" /> : null;
}

/** Return whether the user may see the record's history. */
export function useMayFollow(kinds: readonly RecordDefinition[], { entity }: AuditedChange): boolean {
  return usePermission(permissionTo("read", definitionOf(kinds, entity)?.api ?? {}), "history:read");
}

/** The title as a link to the record's version. */
export function RecordLink({ change, kinds }: { change: AuditedChange; kinds: readonly RecordDefinition[] }) {
  const { addressOf } = useAsOf();
  const mayFollow = useMayFollow(kinds, change);
  const path = mayFollow ? changePath(kinds, change) : undefined;
  const text = recordTitle(change);
  return path === undefined ? text : <Link to={addressOf(path)}>{text}</Link>;
}
