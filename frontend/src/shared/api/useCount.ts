import { useApiQuery } from "./useApiQuery";
import type { Wire } from "./wireTypes.gen";

/** Query the number of rows of a list; undefined while loading. */
export function useCount(path: string | null): number | undefined {
  // A page beyond the last has the total, but no rows and so no personal data.
  const noPage = `page=${2 ** 31 - 1}&size=1`;
  const { data } = useApiQuery<{ page?: Wire<"Page"> }>(
    path && `${path}${path.includes("?") ? "&" : "?"}${noPage}`,
  );
  return data?.page?.totalElements;
}
