import { Link } from "react-router";
import { useAsOf } from "@/shared/asOf/useAsOf";
import { usePermission } from "@/shared/auth/permissions";
import type { AuditedChange } from "@/shared/history";
import { Erased } from "@/shared/ui";
import { type AuditedKind, changePath, kindTitle } from "./kinds";

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
