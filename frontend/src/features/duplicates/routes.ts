import { createElement } from "react";
import { lazyScreen } from "@/shared/frame/lazyScreen";
import type { RecordDefinition } from "@/shared/records";

export const DUPLICATES_PATH = "/management/possible-duplicates";

/** @param loadRecordKinds loads the definitions of all kinds of record, which belong to other features. */
export function duplicateRoutes(loadRecordKinds: () => Promise<readonly RecordDefinition[]>) {
  return [
    lazyScreen(DUPLICATES_PATH, async () => {
      const [{ DuplicatesPage }, kinds] = await Promise.all([import("./DuplicatesPage"), loadRecordKinds()]);
      return () => createElement(DuplicatesPage, { kinds });
    }),
  ];
}
