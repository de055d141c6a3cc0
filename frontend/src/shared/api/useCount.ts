import { useApiQuery } from "./useApiQuery";
import type { Wire } from "./wireTypes.gen";

/** Far beyond the last one: it has no rows, so nobody's data, but says how many there are. */
const NO_PAGE = 2 ** 31 - 1;

/** How many rows a list of the API has, without reading any; undefined until that is known, or asked. */
export function useCount(path: string | null): number | undefined {
  const { data } = useApiQuery<{ page?: Wire<"Page"> }>(
    path && `${path}${path.includes("?") ? "&" : "?"}page=${NO_PAGE}&size=1`,
  );
  return data?.page?.totalElements;
}
