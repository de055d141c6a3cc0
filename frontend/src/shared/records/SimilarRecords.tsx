import { lazy, Suspense } from "react";
import { usePermission } from "@/shared/auth/permissions";
import { duplicatePermissions, isCompared } from "@/shared/duplicates/duplicates";
import type { SuggestionsProps } from "@/shared/duplicates/Suggestions";

const Suggestions = lazy(async () => ({
  default: (await import("@/shared/duplicates/Suggestions")).Suggestions,
}));

/** Suggests records that are similar to what is typed, if the user may see them. */
export function SimilarRecords(props: SuggestionsProps) {
  const isPermitted = usePermission(...duplicatePermissions(props.definition));
  if (!isPermitted || !isCompared(props.definition)) return null;
  return (
    <Suspense fallback={null}>
      <Suggestions {...props} />
    </Suspense>
  );
}
