import { useMemo } from "react";
import { useApiQuery } from "@/shared/api/useApiQuery";
import type { RecordDefinition } from "@/shared/records";
import { changeReader } from "@/shared/records/changes";
import { type ListAnswer, listPath } from "@/shared/records/useRecords";

const NONE: ListAnswer = { content: [] };

/** Return a function that lists the changes of records, by the cached list. */
export function useFieldChanges(definition: RecordDefinition) {
  const { data = NONE } = useApiQuery<ListAnswer>(listPath(definition.api));
  return useMemo(() => changeReader(definition, data.content), [definition, data]);
}
