import { useApiQuery } from "./useApiQuery";
import type { Wire } from "./wireTypes.gen";

/** A page beyond the last has the total, but no rows and so no personal data. */
const NO_PAGE = 2 ** 31 - 1;

/** Query the number of rows of a list; undefined while loading. */
export function useCount(path: string | null): number | undefined {
  const { data } = useApiQuery<{ page?: Wire<"Page"> }>(
    path && `${path}${path.includes("?") ? "&" : "?"}page=${NO_PAGE}&size=1`,
  );
  return data?.page?.totalElements;
}
