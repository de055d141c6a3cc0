import { createElement } from "react";
import { lazyScreen } from "@/shared/frame/lazyScreen";
import type { RecordDefinition } from "@/shared/records";

export const REQUESTS_PATH = "/management/privacy-requests";

export function staffPath(sub: string): string {
  return `${REQUESTS_PATH}/staff/${encodeURIComponent(sub)}`;
}

/** @param loadRecordKinds loads the definitions of all kinds of record, which belong to other features. */
export function privacyRoutes(loadRecordKinds: () => Promise<readonly RecordDefinition[]>) {
  return [
    lazyScreen(REQUESTS_PATH, async () => {
      const [{ PrivacyRequestsPage }, kinds] = await Promise.all([
        import("./PrivacyRequestsPage"),
        loadRecordKinds(),
      ]);
      return () => createElement(PrivacyRequestsPage, { kinds });
    }),
    lazyScreen(`${REQUESTS_PATH}/staff/:sub`, async () => (await import("./StaffPages")).StaffPage),
  ];
}
