import { Switch } from "@blueprintjs/core";
import { Fragment, type ReactNode } from "react";
import { Link } from "react-router";
import { Section } from "@/shared/form/Section";
import { PhoneLink } from "@/shared/format/ContactLinks";
import { DateText } from "@/shared/format/DateText";
import { formatDistance } from "@/shared/format/distance";
import { MomentText } from "@/shared/format/MomentText";
import { formatRupees } from "@/shared/format/rupees";
import { total } from "@/shared/format/total";
import { PrintButton } from "@/shared/print/PrintButton";
import { PageHeader, StatCards, StatusBadge } from "@/shared/ui";
import { PlainTable } from "@/shared/ui/PlainTable";
import timeline from "@/shared/ui/Timeline.module.css";
import { tripTone } from "../trip";
import styles from "./pages.module.css";
import { useTripPreferences } from "./TripMenu";
import { tripFile } from "./tripFile";

/* The pages of the trip area. */

const { trip, driverPhone, vehicle, stops, cargo, documents, events, issues } = tripFile;

interface TripPageProps {
  /** The page's heading, above the trip's number; by default the number is the heading. */
  title?: string;
  isPrintable?: boolean;
  children: ReactNode;
}

function TripPage({ title, isPrintable = true, children }: TripPageProps) {
  const name = title === undefined ? trip.trip_number : `${trip.trip_number} · ${title}`;
  const content = <div className="fl-stack">{children}</div>;
  const facts = { Note: "Sample data", Route: trip.route, Status: trip.status };
  return (
    <>
      <PageHeader
        title={title ?? trip.trip_number}
        subtitle={title === undefined ? trip.route : `${trip.trip_number} · ${trip.route}`}
        isSample
        badge={<StatusBadge label={trip.status} tone={tripTone(trip.status)} />}
        actions={isPrintable && <PrintButton load={async () => ({ title: name, facts, content })} />}
      />
      {content}
    </>
  );
}

const { settlement_loading_percentage, settlement_unloading_percentage } = trip.settlement_details;
/** The specification fixes both statuses (section 4), whatever the trip's done flags are. */
const INSTALMENTS = [
  {
    name: "Loading Settlement",
    percentage: settlement_loading_percentage,
    status: <StatusBadge label="Completed" tone="success" />,
  },
  {
    name: "Unloading Settlement",
    percentage: settlement_unloading_percentage,
    status: <StatusBadge label="Pending" tone="warning" />,
  },
];

const shareOfRate = (percentage: number) => (trip.transport_rate * percentage) / 100;

const CARGO_FACTS = {
  Commodity: trip.commodity,
  "Cargo Type": trip.type_of_cargo,
  Tonnage: `${trip.tonnage} tons`,
};

/** The cards and fields that the specification lists. */
export function OverviewPage() {
  return (
    <TripPage>
      <div className={styles.pair}>
        <Section
          title="Vehicle Details"
          facts={{ Driver: trip.driver, Trailer: trip.trailer, Trailers: trip.trailers.join(", ") }}
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
          facts={{ ...CARGO_FACTS, "Transport Rate": formatRupees(trip.transport_rate) }}
        />
        <Section
          title="Settlement Details"
          facts={Object.fromEntries(
            INSTALMENTS.map(({ name, percentage, status }) => [
              name,
              <Fragment key={name}>
                {percentage}% {status}
              </Fragment>,
            ]),
          )}
        />
      </div>
    </TripPage>
  );
}

export function TrackingPage() {
  const distance = stops.at(-1)?.distance ?? 0;
  const last = stops.findLast(({ actual }) => actual !== undefined);
  const next = stops.find(({ actual }) => actual === undefined);
  const covered = last?.distance ?? 0;
  return (
    <TripPage title="Route Tracking">
      <StatCards
        figures={[
          { label: "Distance", value: formatDistance(distance) },
          { label: "Covered", value: formatDistance(covered), tone: "success", note: last?.place },
          {
            label: "Remaining",
            value: formatDistance(distance - covered),
            tone: "info",
            note: next && `next ${next.place}`,
          },
        ]}
      />
      <Section title="Stops">
        <PlainTable
          label="Stops"
          columns={[
            { header: "Stop", cell: ({ place }) => place },
            { header: "Purpose", cell: ({ purpose }) => purpose },
            { header: "Distance", cell: ({ distance }) => formatDistance(distance), kind: "amount" },
            { header: "Planned", cell: ({ planned }) => <MomentText moment={planned} />, kind: "code" },
            { header: "Actual", cell: ({ actual }) => momentOrNone(actual), kind: "code" },
          ]}
          rows={stops}
          rowKey={({ place }) => place}
        />
      </Section>
    </TripPage>
  );
}

const momentOrNone = (moment: string | undefined) =>
  moment === undefined ? "–" : <MomentText moment={moment} />;

export function VehiclePage() {
  return (
    <TripPage title="Vehicle Details">
      <Section title="Driver" facts={{ Name: trip.driver, Phone: <PhoneLink number={driverPhone} /> }} />
      <Section title="Horse and trailers">
        <PlainTable
          label="Horse and trailers"
          columns={[
            { header: "Registration", cell: ({ registration }) => registration, kind: "code" },
            { header: "Kind", cell: ({ kind }) => kind },
            { header: "Model", cell: ({ model }) => model },
            { header: "Capacity (tons)", cell: ({ capacity }) => capacity ?? "–", kind: "amount" },
          ]}
          rows={vehicle}
          rowKey={({ registration }) => registration}
        />
      </Section>
    </TripPage>
  );
}

export function CargoPage() {
  const pieces = total(cargo.map((item) => item.pieces));
  const weight = total(cargo.map((item) => item.weight));
  return (
    <TripPage title="Cargo Management">
      <Section title="Consignment" facts={{ Client: trip.client_name, ...CARGO_FACTS }} />
      <Section title="Items">
        <PlainTable
          label="Items"
          columns={[
            { header: "Item", cell: ({ description }) => description },
            { header: "Pieces", cell: (item) => item.pieces, kind: "amount" },
            { header: "Weight (tons)", cell: (item) => item.weight.toFixed(1), kind: "amount" },
          ]}
          rows={cargo}
          rowKey={({ description }) => description}
          totals={["Total", pieces, weight.toFixed(1)]}
        />
      </Section>
    </TripPage>
  );
}

export function SettlementPage() {
  const received = shareOfRate(settlement_loading_percentage);
  return (
    <TripPage title="Settlement">
      <StatCards
        figures={[
          { label: "Transport Rate", value: formatRupees(trip.transport_rate) },
          { label: "Received", value: formatRupees(received), tone: "success" },
          { label: "Outstanding", value: formatRupees(trip.transport_rate - received), tone: "warning" },
        ]}
      />
      <Section title="Instalments">
        <PlainTable
          label="Instalments"
          columns={[
            { header: "Instalment", cell: ({ name }) => name },
            { header: "Share", cell: ({ percentage }) => `${percentage}%`, kind: "amount" },
            {
              header: "Amount",
              cell: ({ percentage }) => formatRupees(shareOfRate(percentage)),
              kind: "amount",
            },
            { header: "Status", cell: ({ status }) => status },
          ]}
          rows={INSTALMENTS}
          rowKey={({ name }) => name}
        />
      </Section>
    </TripPage>
  );
}

const dayOrNone = (date: string | undefined) => (date === undefined ? "–" : <DateText date={date} />);

export function DocumentsPage() {
  return (
    <TripPage title="Documents">
      <Section title="Trip documents">
        <PlainTable
          label="Trip documents"
          columns={[
            { header: "Document", cell: ({ name }) => name },
            { header: "Number", cell: ({ number }) => number, kind: "code" },
            { header: "Received", cell: ({ received }) => dayOrNone(received), kind: "code" },
            { header: "Valid to", cell: ({ validTo }) => dayOrNone(validTo), kind: "code" },
            {
              header: "Status",
              cell: ({ received }) =>
                received === undefined ? (
                  <StatusBadge label="Awaited" tone="warning" />
                ) : (
                  <StatusBadge label="Received" tone="success" />
                ),
            },
          ]}
          rows={documents}
          rowKey={({ number }) => number}
        />
      </Section>
    </TripPage>
  );
}

/** The events of the trip, latest first. */
export function TimelinePage() {
  return (
    <TripPage title="Timeline">
      <Section title="Events">
        <ol className={styles.events}>
          {events.toReversed().map(({ at, what, who }, index) => (
            <li key={at} className={timeline.stop} data-marked={index === 0 || undefined}>
              <p className="fl-strong">{what}</p>
              <p className="fl-remark">
                <MomentText moment={at} /> · {who}
              </p>
            </li>
          ))}
        </ol>
      </Section>
    </TripPage>
  );
}

/** Issues of the trip, open ones first. */
export function AlertsPage() {
  return (
    <TripPage title="Issues & Alerts">
      <Section title="Issues">
        <PlainTable
          label="Issues"
          columns={[
            { header: "Issue", cell: ({ id, title }) => `${title} (${id})` },
            { header: "Details", cell: ({ detail }) => detail },
            {
              header: "Status",
              cell: ({ resolved }) =>
                resolved === undefined ? (
                  <StatusBadge label="Open" tone="warning" />
                ) : (
                  <StatusBadge label="Resolved" tone="success" />
                ),
              place: "state",
            },
            { header: "Severity", cell: ({ severity }) => severity },
            { header: "Raised", cell: ({ raised }) => <MomentText moment={raised} />, kind: "code" },
            { header: "Resolved", cell: ({ resolved }) => momentOrNone(resolved), kind: "code" },
          ]}
          rows={issues}
          rowKey={({ id }) => id}
          hasCards
        />
      </Section>
    </TripPage>
  );
}

/** Steps to complete the trip, each with the page of the trip area where it is done. */
const STEPS = [
  {
    label: `Left ${trip.place_of_loading}`,
    isDone: stops[0]?.actual !== undefined,
    page: "tracking",
    pageName: "Route Tracking",
  },
  { label: "Loading settlement paid", isDone: true, page: "settlement", pageName: "Settlement" },
  {
    label: `Arrived at ${trip.place_of_delivery}`,
    isDone: stops.at(-1)?.actual !== undefined,
    page: "tracking",
    pageName: "Route Tracking",
  },
  {
    label: "All documents received",
    isDone: documents.every(({ received }) => received !== undefined),
    page: "documents",
    pageName: "Documents",
  },
  {
    label: "All issues resolved",
    isDone: issues.every(({ resolved }) => resolved !== undefined),
    page: "alerts",
    pageName: "Issues & Alerts",
  },
  { label: "Unloading settlement paid", isDone: false, page: "settlement", pageName: "Settlement" },
];

export function CompletionPage() {
  return (
    <TripPage title="Completion">
      <Section title="Before the trip is complete">
        <p className="fl-muted">
          {STEPS.filter(({ isDone }) => isDone).length} of {STEPS.length} steps done
        </p>
        <PlainTable
          label="Steps"
          columns={[
            { header: "Step", cell: ({ label }) => label },
            {
              header: "Status",
              cell: ({ isDone }) =>
                isDone ? <StatusBadge label="Done" tone="success" /> : <StatusBadge label="To do" />,
            },
            {
              header: "Page",
              cell: ({ page, pageName }) => (
                <Link to={`../${page}`} relative="path">
                  {pageName}
                </Link>
              ),
            },
          ]}
          rows={STEPS}
          rowKey={({ label }) => label}
        />
      </Section>
    </TripPage>
  );
}

export function SettingsPage() {
  const { isMenuCollapsed } = useTripPreferences();
  return (
    <TripPage title="Settings" isPrintable={false}>
      <Section title="Side menu">
        <Switch
          label="Show icons only"
          checked={isMenuCollapsed}
          onChange={({ currentTarget }) =>
            useTripPreferences.setState({ isMenuCollapsed: currentTarget.checked })
          }
        />
        <p className="fl-remark">
          This setting applies to all trips and is stored in this browser. Narrow screens show the menu above
          the page instead.
        </p>
      </Section>
    </TripPage>
  );
}
