import { useApiQuery } from "@/shared/api/useApiQuery";
import type { Wire } from "@/shared/api/wireTypes.gen";
import { daysUntil, REQUESTS_API } from "@/shared/privacy/standing";
import { StatusBadge } from "@/shared/ui";
import styles from "./ManagementPage.module.css";

/** Far beyond the last one: it has no rows, so nobody's data, but says how many there are. */
const NO_PAGE = 2 ** 31 - 1;

const grouped = new Intl.NumberFormat("en-IN");

/** How many records a list of the API has; nothing until that is known. */
export function Count({ of }: { of: string }) {
  const { data } = useApiQuery<{ page?: Wire<"Page"> }>(`${of}?page=${NO_PAGE}&size=1`);
  return data?.page && <span className={styles.count}>{grouped.format(data.page.totalElements)}</span>;
}

/** How many privacy requests are open, and how many should have been answered. */
export function OpenRequests() {
  const { data } = useApiQuery<Wire<"PrivacyRequests">>(REQUESTS_API);
  if (data === undefined) return null;
  const open = data.content.filter(({ state }) => state === "restricted");
  const overdue = open.filter(({ due }) => due !== null && daysUntil(due) < 0).length;
  return (
    <>
      <span className={styles.count}>{grouped.format(open.length)} open</span>
      {overdue > 0 && <StatusBadge label={`${grouped.format(overdue)} overdue`} tone="danger" />}
    </>
  );
}
