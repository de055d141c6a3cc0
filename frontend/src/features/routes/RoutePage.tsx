import { useParams } from "react-router";
import { NoPastNotice } from "@/shared/asOf";
import { Section } from "@/shared/form/Section";
import { DateText } from "@/shared/format/DateText";
import { formatDistance } from "@/shared/format/distance";
import { total } from "@/shared/format/total";
import { useListAddress } from "@/shared/records/paths";
import { EmptyState, LinkButton, PageHeader, StatCards, StatusBadge } from "@/shared/ui";
import { PlainTable } from "@/shared/ui/PlainTable";
import timeline from "@/shared/ui/Timeline.module.css";
import { formatDuration, STATUS_LOOKS, type TransportRoute } from "./route";
import { routePaths } from "./routes";
import styles from "./routes.module.css";
import { sampleRoutes } from "./sampleRoutes";

export function RoutePage() {
  const { id = "" } = useParams();
  const route = sampleRoutes.find((one) => one.id === id);
  const back = { to: useListAddress(routePaths), label: "Back to Routes" };
  if (route === undefined) {
    return (
      <>
        <PageHeader title="Route" back={back} />
        <EmptyState
          title="Route Not Found"
          message="The requested route could not be found."
          action={<LinkButton to={back.to} text={back.label} />}
        />
      </>
    );
  }
  return (
    <>
      <PageHeader
        title={route.name}
        subtitle={`Route ID ${route.id}`}
        isSample
        back={back}
        badge={<StatusBadge {...STATUS_LOOKS[route.status]} />}
      />
      <NoPastNotice what="Routes" />
      <StatCards
        figures={[
          { label: "Total Distance", value: formatDistance(route.totalDistance) },
          { label: "Estimated Time", value: formatDuration(route.estimatedTime) },
          { label: "Stops", value: route.stops },
          { label: "Fuel Consumption", value: `${route.fuelConsumption} L` },
        ]}
      />
      <div className={styles.sections}>
        <Section
          title="Route Information"
          facts={{
            Start: route.startLocation,
            End: route.endLocation,
            Created: <DateText date={route.createdDate} />,
            "Last Used": route.lastUsed === null ? "None" : <DateText date={route.lastUsed} />,
            Description: route.description || "None",
          }}
        />
        <Section title="Segments">
          <PlainTable
            label="Segments"
            columns={[
              { header: "From", cell: ({ from }) => from },
              { header: "To", cell: ({ to }) => to },
              { header: "Distance", cell: ({ distance }) => formatDistance(distance), kind: "amount" },
              {
                header: "Estimated Time",
                cell: ({ estimatedTime }) => formatDuration(estimatedTime),
                kind: "amount",
              },
              {
                header: "Actual Time",
                cell: ({ actualTime }) => (actualTime === null ? "None" : formatDuration(actualTime)),
                kind: "amount",
              },
              { header: "Road Type", cell: ({ roadType }) => roadType },
            ]}
            rows={route.segments}
            // A route may have the same segment twice.
            rowKey={(_, index) => String(index)}
          />
        </Section>
        <div className={styles.timeline}>
          <Section title="Timeline">
            <RouteTimeline route={route} />
          </Section>
        </div>
      </div>
    </>
  );
}

/** The places along a route, with distance and time from the start. */
function RouteTimeline({ route: { startLocation, segments } }: { route: TransportRoute }) {
  return (
    <ol>
      <li className={timeline.stop} data-marked>
        <h3 className="fl-heading">{startLocation}</h3>
        <p className="fl-remark">Start</p>
      </li>
      {segments.map(({ to }, index) => {
        const way = segments.slice(0, index + 1);
        const isEnd = way.length === segments.length;
        const actual = way.map(({ actualTime }) => actualTime);
        return (
          <li
            // biome-ignore lint/suspicious/noArrayIndexKey: a route may pass the same place twice
            key={index}
            className={timeline.stop}
            data-marked={isEnd || undefined}
          >
            <h3 className="fl-heading">{to}</h3>
            <p className="fl-remark">
              {isEnd ? "End" : `Stop ${way.length}`} ·{" "}
              {formatDistance(total(way.map(({ distance }) => distance)))}
            </p>
            <p className="fl-remark">
              {formatDuration(total(way.map(({ estimatedTime }) => estimatedTime)))} estimated ·{" "}
              {actual.includes(null)
                ? "not driven yet"
                : `${formatDuration(total(actual.map(Number)))} actual`}
            </p>
          </li>
        );
      })}
    </ol>
  );
}
