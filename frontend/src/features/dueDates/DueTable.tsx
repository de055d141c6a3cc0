import { Edit } from "@blueprintjs/icons";
import { useNavigate } from "react-router";
import { useAsOf } from "@/shared/asOf";
import { usePermission } from "@/shared/auth/permissions";
import { expiryOf } from "@/shared/expiry/expiry";
import { PhoneLink } from "@/shared/format/ContactLinks";
import { DateText } from "@/shared/format/DateText";
import { type DataColumn, DataTable, useListState } from "@/shared/table";
import { StatusBadge } from "@/shared/ui";
import { CalendarButton } from "./CalendarButton";
import { DueFilterBar } from "./DueFilterBar";
import { type DueDate, driverPath, leftText } from "./documents";
import styles from "./dueDates.module.css";
import type { DueFilters } from "./filters";

interface DueTableProps {
  /** Undefined while loading. */
  rows: readonly DueDate[] | undefined;
  filters: DueFilters;
  today: Date;
}

const COLUMNS: readonly DataColumn<DueDate>[] = [
  { id: "name", header: "Driver", wraps: true },
  { id: "driver", header: "Employee Number" },
  { id: "document", header: "Document", card: "second" },
  { id: "date", header: "Valid Up To", card: "state", render: (row) => <DueText due={row} /> },
  { id: "left", header: "Days Left", amount: true, hidden: true },
  { id: "phone", header: "Mobile", card: "second", render: ({ phone }) => <PhoneLink number={phone} /> },
];
const BY_DATE = { id: "date", desc: false };
const NONE: readonly DueDate[] = [];

export function DueTable({ rows, filters, today }: DueTableProps) {
  const { asOf, addressOf } = useAsOf();
  const mayWrite = usePermission("fleet:write") && asOf === null;
  const navigate = useNavigate();
  const state = useListState();
  return (
    <DataTable
      name="due-dates"
      label="Due dates"
      rows={rows ?? NONE}
      columns={COLUMNS}
      defaultSort={BY_DATE}
      searchPlaceholder="Search by name, ID, or phone..."
      searchFields={searchFields}
      rowName={({ name, document }) => `${name}, ${document}`}
      rowHref={({ driver }) => addressOf(driverPath(driver))}
      copy={COPY}
      rowActions={({ driver }) =>
        mayWrite
          ? [
              {
                text: "Edit Driver",
                icon: <Edit />,
                onSelect: () => navigate(`/management/drivers/edit/${encodeURIComponent(driver)}`, { state }),
              },
            ]
          : []
      }
      downloads={(found) => <CalendarButton dates={found} />}
      filters={<DueFilterBar filters={filters} today={today} />}
      emptyText={rows?.length === 0 ? "No documents are due in this period." : "No results."}
      isLoading={rows === undefined}
    />
  );
}

const COPY = {
  text: "Copy driver ID",
  done: "Driver ID copied to your clipboard",
  of: ({ driver }: DueDate) => driver,
};

function searchFields({ name, driver, phone }: DueDate): readonly string[] {
  return [name, driver, phone];
}

/** A document's last day and the days left, in a badge where action is needed. */
function DueText({ due: { date, left } }: { due: DueDate }) {
  const expiry = expiryOf(date, new Date());
  return (
    <span className={styles.due}>
      <DateText date={date} />
      {expiry === "valid" ? (
        <span className="fl-muted">{leftText(left)}</span>
      ) : (
        <StatusBadge label={leftText(left)} tone={expiry === "expired" ? "danger" : "warning"} />
      )}
    </span>
  );
}
