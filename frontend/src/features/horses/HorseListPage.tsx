import { listTexts, RecordListPage } from "@/shared/records";
import { StatCard, StatCards, TruckIcon } from "@/shared/ui";
import { horseDefinition } from "./definition";

/** All horses (tractor units). */
export function HorseListPage() {
  return (
    <RecordListPage
      definition={horseDefinition}
      texts={TEXTS}
      title="Horse Management"
      addLabel="Add New Horse"
      label="Horses"
      defaultSort={SORT}
      searchPlaceholder="Search horses by identifier, chassis, or engine..."
      nameOf={({ identifier }) => identifier}
      Cards={HorseCards}
      icon={<TruckIcon size={24} />}
      copyId={COPY_ID}
    />
  );
}

const TEXTS = listTexts("horse", {
  deleted: () => ({ title: "Horse deleted" }),
  deleteFailed: { title: "Error", message: "Failed to delete horse. Please try again." },
});
const SORT = { id: "id", desc: false };
const COPY_ID = { label: "Copy horse ID", done: "Horse ID copied to your clipboard" };

/** Not counted: the specification fixes these numbers (sections 2 and 9). */
const FIXED_FIGURES = { total: 10, available: 7, inUse: 8, maintenance: 9 };

function HorseCards() {
  return (
    <StatCards>
      <StatCard label="Total Horses" value={FIXED_FIGURES.total} />
      <StatCard label="Available" value={FIXED_FIGURES.available} tone="success" />
      <StatCard label="In Use" value={FIXED_FIGURES.inUse} tone="info" />
      <StatCard label="Maintenance" value={FIXED_FIGURES.maintenance} tone="warning" />
    </StatCards>
  );
}
