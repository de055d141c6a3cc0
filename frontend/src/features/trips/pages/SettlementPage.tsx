import { Section } from "@/shared/form/Section";
import { DateText } from "@/shared/format/DateText";
import { formatRupees } from "@/shared/format/rupees";
import { total } from "@/shared/format/total";
import { StatCards, StatusBadge } from "@/shared/ui";
import { PlainTable } from "@/shared/ui/PlainTable";
import { TripPage } from "../area/TripPage";
import { useCurrentTrip } from "../area/useCurrentTrip";
import { type Instalment, instalments } from "../settlement";
import type { Expense } from "../trip";

const INSTALMENTS = [
  { header: "Instalment", cell: ({ name }: Instalment) => name },
  { header: "Share", cell: ({ percentage }: Instalment) => `${percentage}%`, kind: "amount" },
  { header: "Amount", cell: ({ amount }: Instalment) => formatRupees(amount), kind: "amount" },
  { header: "Status", cell: ({ status, tone }: Instalment) => <StatusBadge label={status} tone={tone} /> },
] as const;

const EXPENSES = [
  { header: "Expense", cell: ({ description }: Expense) => description },
  { header: "Place", cell: ({ place }: Expense) => place },
  { header: "Date", cell: ({ date }: Expense) => <DateText date={date} />, kind: "code" },
  { header: "Amount", cell: ({ amount }: Expense) => formatRupees(amount), kind: "amount" },
] as const;

/** What the client pays, in two instalments, and what the trip has cost so far. */
export function SettlementPage() {
  const { trip, expenses } = useCurrentTrip();
  const parts = instalments(trip);
  const received = total(parts.filter(({ status }) => status === "Completed").map(({ amount }) => amount));
  const spent = total(expenses.map(({ amount }) => amount));
  return (
    <TripPage title="Settlement">
      <StatCards
        figures={[
          { label: "Transport Rate", value: formatRupees(trip.transport_rate) },
          { label: "Received", value: formatRupees(received), tone: "success" },
          { label: "Outstanding", value: formatRupees(trip.transport_rate - received), tone: "warning" },
          { label: "Expenses so far", value: formatRupees(spent), tone: "info" },
        ]}
      />
      <Section title="Instalments">
        <PlainTable label="Instalments" columns={INSTALMENTS} rows={parts} rowKey={({ name }) => name} />
      </Section>
      <Section title="Expenses">
        <PlainTable
          label="Expenses"
          columns={EXPENSES}
          rows={expenses}
          rowKey={({ description }) => description}
          totals={["Total", "", "", formatRupees(spent)]}
        />
      </Section>
    </TripPage>
  );
}
