import { Button } from "@blueprintjs/core";
import { Calendar, Edit, Tick } from "@blueprintjs/icons";
import { useMemo, useRef, useState } from "react";
import { useNavigate } from "react-router";
import { useAsOf } from "@/shared/asOf";
import { usePermission } from "@/shared/auth/permissions";
import { AcknowledgeDialog } from "@/shared/expiry/AcknowledgeDialog";
import { type Acknowledgement, DOCUMENTS } from "@/shared/expiry/acknowledgement";
import { dayIn, expiryOf } from "@/shared/expiry/expiry";
import { useToday } from "@/shared/expiry/useToday";
import { DateField } from "@/shared/form/DateField";
import { FilterChoice } from "@/shared/form/FilterChoice";
import { PhoneLink } from "@/shared/format/ContactLinks";
import { grouped } from "@/shared/format/counted";
import { DateText } from "@/shared/format/DateText";
import { PermittedPage } from "@/shared/frame";
import { type DataColumn, DataTable, useListState } from "@/shared/table";
import { saveFile } from "@/shared/table/csv";
import { endProblem } from "@/shared/table/filters/days";
import { useAddressParams } from "@/shared/table/useAddressParams";
import { useTask } from "@/shared/table/useTask";
import { ErrorState, Notice, StatCards, StatusBadge } from "@/shared/ui";
import {
  type DueDate,
  type DueFilters,
  driverPath,
  leftText,
  readFilters,
  spanOf,
  useDueDates,
  useDueFigures,
} from "./dueDates";
import styles from "./dueDates.module.css";

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
  const { data, error, total, isLoadingMore, loadMore, retry } = useDueDates(filters, today);
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
        <DueTable rows={data} filters={filters} today={today} reload={retry} />
      )}
    </>
  );
}

interface DueTableProps {
  /** Undefined while loading. */
  rows: readonly DueDate[] | undefined;
  filters: DueFilters;
  today: Date;
  reload: () => Promise<unknown>;
}

const COLUMNS: readonly DataColumn<DueDate>[] = [
  { id: "name", header: "Driver", wraps: true },
  { id: "driver", header: "Employee Number" },
  { id: "document", header: "Document", card: "second" },
  { id: "date", header: "Valid Up To", card: "state", render: (row) => <DueText due={row} /> },
  { id: "left", header: "Days Left", amount: true, hidden: true },
  {
    id: "acknowledged",
    header: "Reminder",
    emptyText: "",
    card: "second",
    render: ({ acknowledged }) => acknowledged && <StatusBadge label={acknowledged} />,
  },
  { id: "phone", header: "Mobile", card: "second", render: ({ phone }) => <PhoneLink number={phone} /> },
];
const BY_DATE = { id: "date", desc: false };
const NONE: readonly DueDate[] = [];

function DueTable({ rows: all, filters, today, reload }: DueTableProps) {
  const { isOpenOnly } = filters;
  const rows = useMemo(
    () => (isOpenOnly ? all?.filter(({ acknowledged }) => acknowledged === "") : all),
    [all, isOpenOnly],
  );
  const [reminder, setReminder] = useState<Acknowledgement>();
  const { asOf, addressOf } = useAsOf();
  const mayWrite = usePermission("fleet:write") && asOf === null;
  const navigate = useNavigate();
  const state = useListState();
  return (
    <>
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
        rowActions={({ driver, reminder: of }) =>
          mayWrite
            ? [
                { text: "Acknowledge or Snooze…", icon: <Tick />, onSelect: () => setReminder(of) },
                {
                  text: "Edit Driver",
                  icon: <Edit />,
                  onSelect: () =>
                    navigate(`/management/drivers/edit/${encodeURIComponent(driver)}`, { state }),
                },
              ]
            : []
        }
        downloads={(found) => <CalendarButton dates={found} />}
        filters={<DueFilterBar filters={filters} today={today} />}
        emptyText={rows?.length === 0 ? "No documents are due in this period." : "No results."}
        isLoading={rows === undefined}
      />
      {reminder && (
        <AcknowledgeDialog
          reminder={reminder}
          onDone={() => void reload()}
          onClose={() => setReminder(undefined)}
        />
      )}
    </>
  );
}

const COPY = {
  text: "Copy driver ID",
  done: "Driver ID copied to your clipboard",
  of: ({ driver }: DueDate) => driver,
};

const searchFields = ({ name, driver, phone }: DueDate) => [name, driver, phone];

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

const OPEN_ONLY = [{ value: "open", label: "Not acknowledged" }];
const CHOICES = Object.entries(DOCUMENTS).map(([value, label]) => ({ value, label }));

/** Filters by document and by a custom span of days; the cards above set the usual spans. */
function DueFilterBar({ filters, today }: Pick<DueTableProps, "filters" | "today">) {
  const [, update] = useAddressParams();
  const bar = useRef<HTMLDivElement>(null);
  const set = (changes: Record<string, string | null>) => update({ ...changes, page: null, row: null });
  const span = spanOf(filters, today);
  const isOwn = filters.from !== "" || filters.until !== "";
  const ends = [
    { label: "From", value: isOwn ? filters.from : (span.from ?? ""), name: "from" },
    { label: "To (inclusive)", value: isOwn ? filters.until : span.until, name: "until" },
  ] as const;
  // Changing one end of a card's span keeps the other end.
  const setDay = (name: string, day: string) =>
    set({
      only: null,
      ...Object.fromEntries(ends.map((end) => [end.name, (end.name === name ? day : end.value) || null])),
    });

  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset's legend cannot be laid out in a row
    <div ref={bar} role="group" aria-label="Filters" className={styles.filters} data-fields>
      <FilterChoice
        label="Document"
        choices={CHOICES}
        value={filters.document}
        onChange={(document) => set({ document: document || null })}
      />
      {ends.map(({ label, name, value }) => (
        <DateField
          key={name}
          label={label}
          value={value}
          error={name === "until" ? endProblem(ends[0].value, value) : undefined}
          onChange={(day) => setDay(name, day)}
        />
      ))}
      <FilterChoice
        label="Reminders"
        choices={OPEN_ONLY}
        value={filters.isOpenOnly ? "open" : ""}
        onChange={(reminders) => set({ reminders: reminders || null })}
      />
      {(isOwn || filters.preset !== null || filters.document !== "" || filters.isOpenOnly) && (
        <Button
          className="fl-at-start"
          variant="minimal"
          text="Clear All"
          onClick={() => {
            set({ only: null, from: null, until: null, document: null, reminders: null });
            // The focused button is removed.
            bar.current?.querySelector("select")?.focus();
          }}
        />
      )}
    </div>
  );
}

/** Downloads the due dates as a calendar file. */
function CalendarButton({ dates }: { dates: readonly DueDate[] }) {
  const { isUnderWay, run } = useTask();
  const save = async () => {
    const { calendarOf } = await import("./calendar");
    const now = new Date();
    const content = calendarOf(dates, window.location.origin, now);
    saveFile(`due-dates-${dayIn(0, now)}.ics`, content, "text/calendar;charset=utf-8");
  };
  return (
    <Button
      icon={<Calendar />}
      text="Calendar (.ics)"
      disabled={dates.length === 0}
      loading={isUnderWay}
      onClick={() => void run(save, CODE_NOT_LOADED)}
    />
  );
}

const CODE_NOT_LOADED = { title: "Error", message: "Failed to create the calendar. Please try again." };
