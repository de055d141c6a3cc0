import { Button } from "@blueprintjs/core";
import { useToday } from "@/shared/expiry/useToday";
import { grouped } from "@/shared/format/counted";
import { PermittedPage } from "@/shared/frame";
import { useAddressParams } from "@/shared/table/useAddressParams";
import { ErrorState, Notice, StatCards } from "@/shared/ui";
import { DueTable } from "./DueTable";
import { readFilters } from "./filters";
import { useDueDates, useDueFigures } from "./useDueDates";

export function DueDatesPage() {
  return (
    <PermittedPage
      permissions={["fleet:read", "personal:read"]}
      to="see due dates"
      title="Due Dates"
      subtitle="Licenses and passports that have expired or expire soon"
      ofThePresent="Due dates"
    >
      <Due />
    </PermittedPage>
  );
}

function Due() {
  const today = useToday();
  const [params, update] = useAddressParams();
  const filters = readFilters(params);
  const figures = useDueFigures(filters, today);
  const due = useDueDates(filters, today);
  const { data, error, total, isLoadingMore, loadMore } = due;
  return (
    <>
      <StatCards
        figures={figures}
        chosen={filters.preset}
        onChoose={(only) => update({ only, from: null, until: null, page: null, row: null })}
      />
      {data !== undefined && data.length < total && (
        <Notice role="status" action={<Button text="Load more" loading={isLoadingMore} onClick={loadMore} />}>
          Showing the first {grouped.format(data.length)} of {grouped.format(total)}, earliest first.
        </Notice>
      )}
      {data === undefined && error !== undefined ? (
        <ErrorState error={error} title="Failed to load due dates" onRetry={() => window.location.reload()} />
      ) : (
        <DueTable rows={data} filters={filters} today={today} />
      )}
    </>
  );
}
