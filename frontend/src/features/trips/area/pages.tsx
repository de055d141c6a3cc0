import { ProgressBar, Radio, RadioGroup, Switch } from "@blueprintjs/core";
import { Circle, TickCircle } from "@blueprintjs/icons";
import { Fragment, type ReactNode } from "react";
import { Link, useOutletContext } from "react-router";
import { Section } from "@/shared/form/Section";
import { PhoneLink } from "@/shared/format/ContactLinks";
import { DateText } from "@/shared/format/DateText";
import { formatDistance } from "@/shared/format/distance";
import { MomentText } from "@/shared/format/MomentText";
import { formatRupees } from "@/shared/format/rupees";
import { total } from "@/shared/format/total";
import { PageHeader, StatCards, StatusBadge, type StatusTone } from "@/shared/ui";
import { PlainTable } from "@/shared/ui/PlainTable";
import timeline from "@/shared/ui/Timeline.module.css";
import {
  type CargoItem,
  completionSteps,
  type Expense,
  type Instalment,
  type Issue,
  instalments,
  punctuality,
  type Stop,
  type TripDocument,
  type TripFile,
  tripProgress,
  tripTone,
  type VehicleUnit,
} from "../trip";
import styles from "./pages.module.css";
import { type Clock, prefer, useTripPreferences } from "./preferences";

/* The pages of the trip area. */

const useCurrentTrip = () => useOutletContext<TripFile>();

interface TripPageProps {
  /** The page's heading, above the trip's number; by default the number is the heading. */
  title?: string;
  children: ReactNode;
}

function TripPage({ title, children }: TripPageProps) {
  const { trip } = useCurrentTrip();
  return (
    <>
      <PageHeader
        title={title ?? trip.trip_number}
        subtitle={title === undefined ? trip.route : `${trip.trip_number} · ${trip.route}`}
        isSample
        badge={<StatusBadge label={trip.status} tone={tripTone(trip.status)} />}
      />
      <div className="fl-stack">{children}</div>
    </>
  );
}

const inIndia = new Intl.DateTimeFormat("en-IN", {
  dateStyle: "medium",
  timeStyle: "short",
  timeZone: "Asia/Kolkata",
});

const useClock = () => useTripPreferences(({ clock }) => clock);

/** A moment of the trip in the time zone chosen under Settings. */
function TripTime({ moment }: { moment: string }) {
  if (useClock() === "reader") return <MomentText moment={moment} />;
  return <time dateTime={moment}>{inIndia.format(Date.parse(moment))}</time>;
}

function ClockNote() {
  return (
    <p className={styles.note}>
      {useClock() === "india" ? "Times are in Indian Standard Time." : "Times are in your local time zone."}
    </p>
  );
}

/** The cards and fields that the specification lists. */
export function OverviewPage() {
  const { trip } = useCurrentTrip();
  return (
    <TripPage>
      <div className={styles.pair}>
        <Section
          title="Vehicle Details"
          facts={{
            Driver: trip.driver,
            Trailer: trip.trailer,
            Trailers: (
              <ul className={styles.list}>
                {trip.trailers.map((trailer) => (
                  <li key={trailer}>{trailer}</li>
                ))}
              </ul>
            ),
          }}
        />
        <Section
          title="Route Information"
          facts={{
            Route: trip.route,
            "Place of Loading": trip.place_of_loading,
            "Place of Delivery": trip.place_of_delivery,
          }}
        />
        <Section
          title="Timeline"
          facts={{
            "Start Date": <DateText date={trip.start_date} />,
            "Expected Delivery": <DateText date={trip.expected_delivery} />,
            Client: trip.client_name,
          }}
        />
        <Section
          title="Cargo Information"
          facts={{
            Commodity: trip.commodity,
            "Cargo Type": trip.type_of_cargo,
            Tonnage: `${trip.tonnage} tons`,
            "Transport Rate": formatRupees(trip.transport_rate),
          }}
        />
        <Section
          title="Settlement Details"
          facts={Object.fromEntries(
            instalments(trip).map(({ name, percentage, status, tone }) => [
              name,
              <Fragment key={name}>
                {percentage}% <StatusBadge label={status} tone={tone} />
              </Fragment>,
            ]),
          )}
        />
      </div>
    </TripPage>
  );
}

const STOP_COLUMNS = [
  { header: "Stop", cell: ({ place }: Stop) => place },
  { header: "Purpose", cell: ({ purpose }: Stop) => purpose },
  { header: "Distance", cell: ({ distance }: Stop) => formatDistance(distance), kind: "amount" },
  { header: "Planned", cell: ({ planned }: Stop) => <TripTime moment={planned} />, kind: "code" },
  {
    header: "Actual",
    cell: ({ actual }: Stop) => (actual ? <TripTime moment={actual} /> : "–"),
    kind: "code",
  },
  { header: "Against plan", cell: (stop: Stop) => <StatusBadge {...punctuality(stop)} /> },
] as const;

export function TrackingPage() {
  const { stops } = useCurrentTrip();
  const { total, covered, remaining, last, next } = tripProgress(stops);
  const now = last && punctuality(last);
  return (
    <TripPage title="Route Tracking">
      <StatCards
        figures={[
          { label: "Distance", value: formatDistance(total) },
          { label: "Covered", value: formatDistance(covered), tone: "success", note: last?.place },
          {
            label: "Remaining",
            value: formatDistance(remaining),
            tone: "info",
            note: next && `next ${next.place}`,
          },
          { label: "Against plan", value: now?.label, tone: now?.tone },
        ]}
      />
      <Section title="Stops">
        <PlainTable label="Stops" columns={STOP_COLUMNS} rows={stops} rowKey={({ place }) => place} />
        <ClockNote />
      </Section>
    </TripPage>
  );
}

const VEHICLE_COLUMNS = [
  { header: "Registration", cell: ({ registration }: VehicleUnit) => registration, kind: "code" },
  { header: "Kind", cell: ({ kind }: VehicleUnit) => kind },
  { header: "Model", cell: ({ model }: VehicleUnit) => model },
  {
    header: "Capacity (tons)",
    cell: ({ capacity }: VehicleUnit) => capacity ?? "–",
    kind: "amount",
  },
  {
    header: "Fitness valid to",
    cell: (unit: VehicleUnit) => <DateText date={unit.fitnessValidTo} />,
    kind: "code",
  },
  {
    header: "Insurance valid to",
    cell: (unit: VehicleUnit) => <DateText date={unit.insuranceValidTo} />,
    kind: "code",
  },
  {
    header: "Permit valid to",
    cell: (unit: VehicleUnit) => <DateText date={unit.permitValidTo} />,
    kind: "code",
  },
] as const;

export function VehiclePage() {
  const { trip, driverPhone, vehicle } = useCurrentTrip();
  return (
    <TripPage title="Vehicle Details">
      <Section
        title="Driver"
        facts={{
          Name: trip.driver,
          Phone: <PhoneLink number={driverPhone} />,
        }}
      />
      <Section title="Horse and trailers">
        <PlainTable
          label="Horse and trailers"
          columns={VEHICLE_COLUMNS}
          rows={vehicle}
          rowKey={({ registration }) => registration}
        />
      </Section>
    </TripPage>
  );
}

const CARGO_COLUMNS = [
  { header: "Item", cell: ({ description }: CargoItem) => description },
  { header: "Pieces", cell: ({ pieces }: CargoItem) => pieces, kind: "amount" },
  { header: "Weight (tons)", cell: ({ weight }: CargoItem) => weight.toFixed(1), kind: "amount" },
] as const;

export function CargoPage() {
  const { trip, cargo, handling } = useCurrentTrip();
  const pieces = total(cargo.map((item) => item.pieces));
  const weight = total(cargo.map((item) => item.weight));
  return (
    <TripPage title="Cargo Management">
      <div className={styles.pair}>
        <Section
          title="Consignment"
          facts={{
            Client: trip.client_name,
            Commodity: trip.commodity,
            "Cargo Type": trip.type_of_cargo,
            Tonnage: `${trip.tonnage} tons`,
          }}
        />
        <Section title="Handling">
          <ul className={styles.bullets}>
            {handling.map((instruction) => (
              <li key={instruction}>{instruction}</li>
            ))}
          </ul>
        </Section>
      </div>
      <Section title="Items">
        <PlainTable
          label="Items"
          columns={CARGO_COLUMNS}
          rows={cargo}
          rowKey={({ description }) => description}
          totals={["Total", pieces, weight.toFixed(1)]}
        />
      </Section>
    </TripPage>
  );
}

const INSTALMENT_COLUMNS = [
  { header: "Instalment", cell: ({ name }: Instalment) => name },
  { header: "Share", cell: ({ percentage }: Instalment) => `${percentage}%`, kind: "amount" },
  { header: "Amount", cell: ({ amount }: Instalment) => formatRupees(amount), kind: "amount" },
  { header: "Status", cell: ({ status, tone }: Instalment) => <StatusBadge label={status} tone={tone} /> },
] as const;

const EXPENSE_COLUMNS = [
  { header: "Expense", cell: ({ description }: Expense) => description },
  { header: "Place", cell: ({ place }: Expense) => place },
  { header: "Date", cell: ({ date }: Expense) => <DateText date={date} />, kind: "code" },
  { header: "Amount", cell: ({ amount }: Expense) => formatRupees(amount), kind: "amount" },
] as const;

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
        <PlainTable
          label="Instalments"
          columns={INSTALMENT_COLUMNS}
          rows={parts}
          rowKey={({ name }) => name}
        />
      </Section>
      <Section title="Expenses">
        <PlainTable
          label="Expenses"
          columns={EXPENSE_COLUMNS}
          rows={expenses}
          rowKey={({ description }) => description}
          totals={["Total", "", "", formatRupees(spent)]}
        />
      </Section>
    </TripPage>
  );
}

const day = (date: string | undefined) => (date === undefined ? "–" : <DateText date={date} />);

const DOCUMENT_COLUMNS = [
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

export function DocumentsPage() {
  const { documents } = useCurrentTrip();
  return (
    <TripPage title="Documents">
      <Section title="Trip documents">
        <PlainTable
          label="Trip documents"
          columns={DOCUMENT_COLUMNS}
          rows={documents}
          rowKey={({ number }) => number}
        />
      </Section>
    </TripPage>
  );
}

/** The events of the trip, latest first. */
export function TimelinePage() {
  const { events } = useCurrentTrip();
  return (
    <TripPage title="Timeline">
      <Section title="Events">
        <ol className={styles.events}>
          {events.toReversed().map(({ at, what, who }, index) => (
            <li key={at + what} className={timeline.stop} data-marked={index === 0 || undefined}>
              <p className={styles.what}>{what}</p>
              <p className="fl-remark">
                <TripTime moment={at} /> · {who}
              </p>
            </li>
          ))}
        </ol>
        <ClockNote />
      </Section>
    </TripPage>
  );
}

const SEVERITIES: Readonly<Record<Issue["severity"], { label: string; tone: StatusTone }>> = {
  high: { label: "High severity", tone: "danger" },
  medium: { label: "Medium severity", tone: "warning" },
  low: { label: "Low severity", tone: "neutral" },
};

/** Issues of the trip, open ones first. */
export function AlertsPage() {
  const { issues } = useCurrentTrip();
  const open = issues.filter(({ resolved }) => resolved === undefined);
  const resolved = issues.filter((issue) => issue.resolved !== undefined);
  return (
    <TripPage title="Issues & Alerts">
      <StatCards
        figures={[
          { label: "Open", value: open.length, tone: "warning" },
          { label: "Resolved", value: resolved.length, tone: "success" },
        ]}
      />
      {[...open, ...resolved].map((issue) => (
        <IssueCard key={issue.id} issue={issue} />
      ))}
      <ClockNote />
    </TripPage>
  );
}

/** One issue; the colour shows its severity only while it is open. */
function IssueCard({ issue: { id, title, detail, severity, raised, resolved } }: { issue: Issue }) {
  const { label, tone } = SEVERITIES[severity];
  return (
    <Section title={title}>
      <p className={`fl-muted ${styles.status}`}>
        {resolved === undefined ? (
          <StatusBadge label="Open" tone={tone} />
        ) : (
          <StatusBadge label="Resolved" tone="success" />
        )}
        {label} · {id}
      </p>
      <p className={styles.detail}>{detail}</p>
      <p className={`fl-remark ${styles.moments}`}>
        <span>
          Raised <TripTime moment={raised} />
        </span>
        {resolved !== undefined && (
          <span>
            Resolved <TripTime moment={resolved} />
          </span>
        )}
      </p>
    </Section>
  );
}

/** Steps to complete the trip, each with a link to the page where it is done. */
export function CompletionPage() {
  const steps = completionSteps(useCurrentTrip());
  const done = steps.filter(({ isDone }) => isDone).length;
  return (
    <TripPage title="Completion">
      <Section title="Before the trip is complete">
        <p className="fl-muted" id="completion-progress">
          {done} of {steps.length} steps done
        </p>
        <ProgressBar
          value={done / steps.length}
          intent="success"
          animate={false}
          stripes={false}
          aria-labelledby="completion-progress"
        />
        <ul className={styles.steps}>
          {steps.map(({ label, isDone, page, pageName }) => (
            <li key={label} className={styles.step} data-done={isDone}>
              {isDone ? <TickCircle aria-hidden /> : <Circle aria-hidden />}
              <span className={styles.label}>
                {label}
                <span className="fl-visually-hidden">{isDone ? ", done" : ", to do"}</span>
              </span>
              <Link to={`../${page}`} relative="path">
                {pageName}
              </Link>
            </li>
          ))}
        </ul>
      </Section>
    </TripPage>
  );
}

/** Display settings of the trip area, stored in this browser. */
export function SettingsPage() {
  const { clock, isMenuCollapsed } = useTripPreferences();
  return (
    <TripPage title="Settings">
      <Section title="Times">
        <RadioGroup
          label="Show times in"
          selectedValue={clock}
          onChange={(event) => prefer({ clock: event.currentTarget.value as Clock })}
        >
          <Radio value="india" label="Indian Standard Time" />
          <Radio value="reader" label="My local time zone" />
        </RadioGroup>
      </Section>
      <Section title="Side menu">
        <Switch
          label="Show icons only"
          checked={isMenuCollapsed}
          onChange={(event) => prefer({ isMenuCollapsed: event.currentTarget.checked })}
        />
        <p className={styles.note}>Narrow screens show the menu above the page instead.</p>
      </Section>
      <p className={styles.note}>These settings apply to all trips and are stored in this browser.</p>
    </TripPage>
  );
}
