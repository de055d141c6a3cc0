import { createElement } from "react";
import { lazyScreen } from "@/shared/frame/lazyScreen";
import type { RecordDefinition } from "@/shared/records";

export const AUDIT_PATH = "/management/audit";

/** @param loadRecordKinds loads the definitions of all kinds of record, which belong to other features. */
export function auditRoutes(loadRecordKinds: () => Promise<readonly RecordDefinition[]>) {
  return [
    lazyScreen(AUDIT_PATH, async () => {
      const [{ AuditPage }, kinds] = await Promise.all([import("./AuditPage"), loadRecordKinds()]);
      return () => createElement(AuditPage, { kinds });
    }),
  ];
}
