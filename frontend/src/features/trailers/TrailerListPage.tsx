import { Axle, Wrench } from "@blueprintjs/icons";
import { memo } from "react";
import { listTexts, RecordListPage } from "@/shared/records";
import { StatCard, StatCards } from "@/shared/ui";
import { trailerDefinition } from "./definition";
import { countStatuses } from "./statuses";

/** All trailers. */
export function TrailerListPage() {
  return (
    <RecordListPage
      definition={trailerDefinition}
      texts={TEXTS}
      title="Trailers"
      subtitle="Trailer fleet and maintenance"
      addLabel="Add New Trailer"
      label="Trailers"
      defaultSort={SORT}
      searchPlaceholder="Search trailers by registration, type, or location..."
      nameOf={({ id }) => id}
      Cards={TrailerCards}
      icon={<Axle size={24} />}
      emptyAddLabel="Add Trailer"
      moreActions={[SCHEDULE_MAINTENANCE]}
    />
  );
}

const TEXTS = listTexts("trailer", { failedToast: "Failed to load trailers." });
const SORT = { id: "registrationNumber", desc: false };

/** Does nothing: so the specification has it (section 2). */
const SCHEDULE_MAINTENANCE = {
  text: "Schedule Maintenance",
  icon: <Wrench />,
  onSelect: () => undefined,
};

const TrailerCards = memo(({ rows }: { rows: readonly { status: string }[] }) => {
  const counts = countStatuses(rows);
  return (
    <StatCards>
      <StatCard label="Total" value={counts.total} />
      <StatCard label="Available" value={counts.available} tone="success" />
      <StatCard label="In Use" value={counts.inUse} tone="info" />
      <StatCard label="Maintenance" value={counts.maintenance} tone="warning" />
    </StatCards>
  );
});
