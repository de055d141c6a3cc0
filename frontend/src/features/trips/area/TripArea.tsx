import { useRef } from "react";
import { Outlet, ScrollRestoration, useParams } from "react-router";
import { RouteAnnouncer, SkipLink, useFocusOnNavigation } from "@/shared/frame";
import { ErrorState, LoadingState } from "@/shared/ui";
import { useTrip } from "../useTrips";
import styles from "./TripArea.module.css";
import { TripMenu } from "./TripMenu";

/** The frame of one trip's pages, which stands outside the sidebar's; it asks for the trip once for all of them. */
export function TripArea() {
  const { id = "" } = useParams();
  const { file, error } = useTrip(id);
  const main = useRef<HTMLElement>(null);
  useFocusOnNavigation(main);

  return (
    <div className={styles.area}>
      <SkipLink />
      <TripMenu />
      <main ref={main} id="main" tabIndex={-1} className={styles.main}>
        {file !== undefined ? (
          <Outlet context={file} />
        ) : error !== undefined ? (
          <ErrorState level={1} title="Failed to load trip" onRetry={() => window.location.reload()} />
        ) : (
          <LoadingState label="Loading trip..." />
        )}
      </main>
      <RouteAnnouncer />
      <ScrollRestoration />
    </div>
  );
}
