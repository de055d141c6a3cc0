import { useApiQuery } from "@/shared/api/useApiQuery";
import { useCount } from "@/shared/api/useCount";
import type { Wire } from "@/shared/api/wireTypes.gen";
import { duePath, expiredBefore, expiringSoon } from "@/shared/expiry/spans";
import { useToday } from "@/shared/expiry/useToday";
import { grouped } from "@/shared/format/counted";
import { daysUntil, REQUESTS_API } from "@/shared/privacy/status";
import { StatusBadge } from "@/shared/ui";

/** The number of records of an API list; nothing while it loads. */
export function Count({ of }: { of: string }) {
  const count = useCount(of);
  return count !== undefined && <span className="fl-muted">{grouped.format(count)}</span>;
}

/** The numbers of licences and passports that expire soon and have expired. */
export function DueDocuments() {
  const today = useToday();
  const soon = useCount(duePath(expiringSoon(today)));
  const expired = useCount(duePath(expiredBefore(today)));
  if (soon === undefined || expired === undefined) return null;
  return (
    <>
      <span className="fl-muted">{grouped.format(soon)} soon</span>
      {expired > 0 && <StatusBadge label={`${grouped.format(expired)} expired`} tone="danger" />}
    </>
  );
}

/** The numbers of open and of overdue privacy requests. */
export function OpenRequests() {
  const { data } = useApiQuery<Wire<"PrivacyRequests">>(REQUESTS_API);
  if (data === undefined) return null;
  const open = data.content.filter(({ state }) => state === "restricted");
  const overdue = open.filter(({ due }) => due !== null && daysUntil(due) < 0).length;
  return (
    <>
      <span className="fl-muted">{grouped.format(open.length)} open</span>
      {overdue > 0 && <StatusBadge label={`${grouped.format(overdue)} overdue`} tone="danger" />}
    </>
  );
}
