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

interface Choices {
  choices: readonly Required<Choice>[];
  /** There are more, which fewer rows have. */
  more?: boolean;
}

/** The values that the rows of a list have in a field, and how many rows each; undefined until that is known, or asked. */
export function useAskedChoices(query: ChoicesQuery | undefined): Choices | undefined {
  const { data } = useApiQuery<Choices>(
    query
      ? withQuery(`${listsPath(query.path)}/choices`, [["field", query.field], ...(query.narrowing ?? [])])
      : null,
  );
  return data;
}
