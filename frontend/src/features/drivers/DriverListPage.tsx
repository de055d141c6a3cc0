import { IdNumber } from "@blueprintjs/icons";
import { memo } from "react";
import { listTexts, RecordListPage } from "@/shared/records";
import { StatCard, StatCards } from "@/shared/ui";
import { driverDefinition } from "./definition";
import { countLicences, type Licensed } from "./licences";

/** All drivers. */
export function DriverListPage() {
  return (
    <RecordListPage
      definition={driverDefinition}
      texts={TEXTS}
      title="Drivers"
      subtitle="Drivers, licenses and employee records"
      addLabel="Add Driver"
      label="Drivers"
      defaultSort={SORT}
      searchPlaceholder="Search drivers by name, ID, or phone..."
      nameOf={({ name }) => name}
      Cards={DriverCards}
      icon={<IdNumber size={24} />}
      copyId={COPY_ID}
    />
  );
}

const TEXTS = listTexts("driver");
const SORT = { id: "name", desc: false };
const COPY_ID = { label: "Copy driver ID", done: "Driver ID copied to your clipboard" };

const DriverCards = memo(({ rows }: { rows: readonly Licensed[] }) => {
  const counts = countLicences(rows, new Date());
  return (
    <StatCards>
      <StatCard label="Total Drivers" value={counts.total} />
      <StatCard label="Active Drivers" value={counts.active} tone="success" />
      <StatCard label="Expired Licenses" value={counts.expired} tone="danger" />
      <StatCard label="Expiring Soon" value={counts.expiringSoon} tone="warning" />
    </StatCards>
  );
});
