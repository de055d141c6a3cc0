import { createElement } from "react";
import type { RouteObject } from "react-router";
import type { RecordDefinition } from "@/shared/records";
import { AUDIT_PATH } from "./paths";

/**
 * The audit trail's screen, loaded when it is first visited.
 * @param loadRecordKinds brings what the log tells of, which belongs to other features.
 */
export function auditRoutes(loadRecordKinds: () => Promise<readonly RecordDefinition[]>): RouteObject[] {
  return [
    {
      path: AUDIT_PATH,
      lazy: async () => {
        const [{ AuditPage }, { auditedKinds }, definitions] = await Promise.all([
          import("./AuditPage"),
          import("./kinds"),
          loadRecordKinds(),
        ]);
        const kinds = auditedKinds(definitions);
        return { Component: () => createElement(AuditPage, { kinds }) };
      },
    },
  ];
}
