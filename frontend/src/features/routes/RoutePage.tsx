import { useParams } from "react-router";
import { NoPastNotice } from "@/shared/asOf";
import { Section } from "@/shared/form/Section";
import { DateText } from "@/shared/format/DateText";
import { useListAddress } from "@/shared/records/paths";
import {
  EmptyState,
  ErrorState,
  LinkButton,
  LoadingState,
  PageHeader,
  StatCard,
  StatCards,
  StatusBadge,
} from "@/shared/ui";
import { Fact, Facts } from "@/shared/ui/Facts";
import { formatDistance, formatDuration } from "./measures";
import { routePaths } from "./paths";
import { RouteTimeline } from "./RouteTimeline";
import { STATUS_LOOKS, type TransportRoute } from "./route";
import styles from "./routes.module.css";
import { SegmentTable } from "./SegmentTable";
import { useRoute } from "./useRoutes";

/** One route, to be read. */
export function RoutePage() {
  const { id = "" } = useParams();
  const { route, error } = useRoute(id);
  const back = { to: useListAddress(routePaths), label: "Back to Routes" };

  if (route) return <LoadedRoute route={route} back={back} />;
  const backLink = <LinkButton to={back.to} text={back.label} />;
  return (
    <>
      <PageHeader title="Route" back={back} />
      {route === null ? (
        <EmptyState
          title="Route Not Found"
          message="The requested route could not be found."
          action={backLink}
        />
      ) : error !== undefined ? (
        <ErrorState title="Failed to load route details" action={backLink} />
      ) : (
        <LoadingState label="Loading route details..." />
      )}
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
      <StatCards>
        <StatCard label="Total Distance" value={formatDistance(route.totalDistance)} />
        <StatCard label="Estimated Time" value={formatDuration(route.estimatedTime)} />
        <StatCard label="Stops" value={route.stops} />
        <StatCard label="Fuel Consumption" value={`${route.fuelConsumption} L`} />
      </StatCards>
      <div className={styles.sections}>
        <Section title="Route Information">
          <Facts>
            <Fact label="Start">{route.startLocation}</Fact>
            <Fact label="End">{route.endLocation}</Fact>
            <Fact label="Created">
              <DateText date={route.createdDate} />
            </Fact>
            <Fact label="Last Used">
              {route.lastUsed === null ? "None" : <DateText date={route.lastUsed} />}
            </Fact>
            <Fact label="Description">{route.description || "None"}</Fact>
          </Facts>
        </Section>
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
