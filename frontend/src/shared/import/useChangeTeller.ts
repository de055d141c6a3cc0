import { useMemo } from "react";
import { useApiQuery } from "@/shared/api/useApiQuery";
import type { RecordDefinition } from "@/shared/records";
import { changeTeller } from "@/shared/records/changes";
import { type ListAnswer, listPath } from "@/shared/records/useRecords";

const NONE: ListAnswer = { content: [] };

/** Tells what changes of records, by the list of them. */
export function useChangeTeller(definition: RecordDefinition) {
  const { data = NONE } = useApiQuery<ListAnswer>(listPath(definition.api));
  return useMemo(() => changeTeller(definition, data.content), [definition, data]);
}
