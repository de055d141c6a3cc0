import { useParams } from "react-router";
import { NoPastNotice } from "@/shared/asOf";
import { Section } from "@/shared/form/Section";
import { DateText } from "@/shared/format/DateText";
import { formatDistance } from "@/shared/format/distance";
import { useListAddress } from "@/shared/records/paths";
import { EmptyState, LinkButton, Loaded, PageHeader, StatCards, StatusBadge } from "@/shared/ui";
import { type PlainColumn, PlainTable } from "@/shared/ui/PlainTable";
import timeline from "@/shared/ui/Timeline.module.css";
import { formatDuration, type RouteSegment, STATUS_LOOKS, type TransportRoute, waypoints } from "./route";
import { routePaths } from "./routes";
import styles from "./routes.module.css";
import { useRoute } from "./useRoutes";

export function RoutePage() {
  const { id = "" } = useParams();
  const { data: route, error } = useRoute(id);
  const back = { to: useListAddress(routePaths), label: "Back to Routes" };
  if (route) return <LoadedRoute route={route} back={back} />;
  return (
    <>
      <PageHeader title="Route" back={back} />
      <Loaded query={{ data: route, error }} what="route details">
        {() => (
          <EmptyState
            title="Route Not Found"
            message="The requested route could not be found."
            action={<LinkButton to={back.to} text={back.label} />}
          />
        )}
      </Loaded>
    </>
  );
}

interface LoadedRouteProps {
  route: TransportRoute;
  back: { to: string; label: string };
}

function LoadedRoute({ route, back }: LoadedRouteProps) {
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
            columns={SEGMENT_COLUMNS}
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

const SEGMENT_COLUMNS: readonly PlainColumn<RouteSegment>[] = [
  { header: "From", cell: ({ from }) => from },
  { header: "To", cell: ({ to }) => to },
  { header: "Distance", cell: ({ distance }) => formatDistance(distance), kind: "amount" },
  { header: "Estimated Time", cell: ({ estimatedTime }) => formatDuration(estimatedTime), kind: "amount" },
  {
    header: "Actual Time",
    cell: ({ actualTime }) => (actualTime === null ? "None" : formatDuration(actualTime)),
    kind: "amount",
  },
  { header: "Road Type", cell: ({ roadType }) => roadType },
];

/** The places along a route, with distance and time from the start. */
function RouteTimeline({ route }: { route: TransportRoute }) {
  return (
    <ol>
      {waypoints(route).map(({ place, distance, estimatedTime, actualTime }, index) => (
        // A route may pass the same place twice.
        <li
          // biome-ignore lint/suspicious/noArrayIndexKey: the order is what identifies a stop
          key={index}
          className={timeline.stop}
          data-marked={index === 0 || index === route.segments.length || undefined}
        >
          <h3 className={styles.place}>{place}</h3>
          {index === 0 ? (
            <p className="fl-remark">Start</p>
          ) : (
            <>
              <p className="fl-remark">
                {index === route.segments.length ? "End" : `Stop ${index}`} · {formatDistance(distance)}
              </p>
              <p className="fl-remark">
                {formatDuration(estimatedTime)} estimated ·{" "}
                {actualTime === null ? "not driven yet" : `${formatDuration(actualTime)} actual`}
              </p>
            </>
          )}
        </li>
      ))}
    </ol>
  );
}
