import { useApiQuery } from "@/shared/api/useApiQuery";
import type { Choice } from "../filters/filters";
import { type Asked, listsPath, withQuery } from "./pages";

interface ChoicesQuery {
  /** Of the list. */
  path: string;
  /** As the server calls it. */
  field: string;
  narrowing?: Asked;
}

/** The values that the rows of a list have in a field, and how many rows each; undefined until that is known, or asked. */
export function useAskedChoices(query: ChoicesQuery | undefined): readonly Required<Choice>[] | undefined {
  const { data } = useApiQuery<{ choices: readonly Required<Choice>[] }>(
    query
      ? withQuery(`${listsPath(query.path)}/choices`, [["field", query.field], ...(query.narrowing ?? [])])
      : null,
  );
  return data?.choices;
}
