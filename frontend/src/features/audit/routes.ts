import { createElement } from "react";
import { lazyScreen } from "@/shared/frame/lazyScreen";
import type { RecordDefinition } from "@/shared/records";
import { AUDIT_PATH } from "./paths";

/**
 * The audit trail's screen.
 * @param loadRecordKinds brings what the log tells of, which belongs to other features.
 */
export function auditRoutes(loadRecordKinds: () => Promise<readonly RecordDefinition[]>) {
  return [
    lazyScreen(AUDIT_PATH, async () => {
      const [{ AuditPage }, { auditedKinds }, definitions] = await Promise.all([
        import("./AuditPage"),
        import("./kinds"),
        loadRecordKinds(),
      ]);
      const kinds = auditedKinds(definitions);
      return () => createElement(AuditPage, { kinds });
    }),
  ];
}
