import { useParams } from "react-router";
import { NoPastNotice } from "@/shared/asOf";
import { Section } from "@/shared/form/Section";
import { DateText } from "@/shared/format/DateText";
import { formatDistance } from "@/shared/format/distance";
import { useListAddress } from "@/shared/records/paths";
import { EmptyState, LinkButton, Loaded, PageHeader, StatCards, StatusBadge } from "@/shared/ui";
import { formatDuration } from "./measures";
import { routePaths } from "./paths";
import { RouteTimeline } from "./RouteTimeline";
import { STATUS_LOOKS, type TransportRoute } from "./route";
import styles from "./routes.module.css";
import { SegmentTable } from "./SegmentTable";
import { useRoute } from "./useRoutes";

/** One route, to be read. */
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
          <SegmentTable segments={route.segments} />
        </Section>
        <div className={styles.beside}>
          <Section title="Timeline">
            <RouteTimeline route={route} />
          </Section>
        </div>
      </div>
    </>
  );
}
