import { useRef } from "react";
import { Outlet, ScrollRestoration, useParams } from "react-router";
import { RouteAnnouncer, SkipLink, useFocusOnNavigation } from "@/shared/frame";
import { Loaded } from "@/shared/ui";
import { useTrip } from "../useTrips";
import styles from "./TripArea.module.css";
import { TripMenu } from "./TripMenu";

/** The frame of one trip's pages, which stands outside the sidebar's; it asks for the trip once for all of them. */
export function TripArea() {
  const { id = "" } = useParams();
  const trip = useTrip(id);
  const main = useRef<HTMLElement>(null);
  useFocusOnNavigation(main);

  return (
    <div className={styles.area}>
      <SkipLink />
      <TripMenu />
      <main ref={main} id="main" tabIndex={-1} className={styles.main}>
        <Loaded query={trip} what="trip" level={1}>
          {(file) => <Outlet context={file} />}
        </Loaded>
      </main>
      <RouteAnnouncer />
      <ScrollRestoration />
    </div>
  );
}
