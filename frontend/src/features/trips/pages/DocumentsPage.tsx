import { Section } from "@/shared/form/Section";
import { DateText } from "@/shared/format/DateText";
import { StatusBadge } from "@/shared/ui";
import { PlainTable } from "@/shared/ui/PlainTable";
import { TripPage } from "../area/TripPage";
import { useCurrentTrip } from "../area/useCurrentTrip";
import type { TripDocument } from "../trip";

const day = (date: string | undefined) => (date === undefined ? "–" : <DateText date={date} />);

const COLUMNS = [
  { header: "Document", cell: ({ name }: TripDocument) => name },
  { header: "Number", cell: ({ number }: TripDocument) => number, kind: "code" },
  { header: "Received", cell: ({ received }: TripDocument) => day(received), kind: "code" },
  { header: "Valid to", cell: ({ validTo }: TripDocument) => day(validTo), kind: "code" },
  {
    header: "Status",
    cell: ({ received }: TripDocument) =>
      received === undefined ? (
        <StatusBadge label="Awaited" tone="warning" />
      ) : (
        <StatusBadge label="Received" tone="success" />
      ),
  },
] as const;

/** The papers that travel with the cargo: which are here, and which are awaited. */
export function DocumentsPage() {
  const { documents } = useCurrentTrip();
  return (
    <TripPage title="Documents">
      <Section title="Trip documents">
        <PlainTable
          label="Trip documents"
          columns={COLUMNS}
          rows={documents}
          rowKey={({ number }) => number}
        />
      </Section>
    </TripPage>
  );
}
