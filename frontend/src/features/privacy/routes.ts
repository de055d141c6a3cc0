import { createElement } from "react";
import { lazyScreen } from "@/shared/frame/lazyScreen";
import type { RecordDefinition } from "@/shared/records";
import { REQUESTS_PATH, STAFF_PATH } from "./paths";

/**
 * The screen of privacy requests.
 * @param loadRecordKinds brings what they are about, which belongs to other features.
 */
export function privacyRoutes(loadRecordKinds: () => Promise<readonly RecordDefinition[]>) {
  return [
    lazyScreen(REQUESTS_PATH, async () => {
      const [{ PrivacyRequestsPage }, kinds] = await Promise.all([
        import("./PrivacyRequestsPage"),
        loadRecordKinds(),
      ]);
      return () => createElement(PrivacyRequestsPage, { kinds });
    }),
    lazyScreen(STAFF_PATH, async () => (await import("./StaffPage")).StaffPage),
  ];
}
