import { Outlet, useParams } from "react-router";
import { MainArea, SkipLink } from "@/shared/frame";
import { Loaded } from "@/shared/ui";
import { useTrip } from "../useTrips";
import styles from "./TripArea.module.css";
import { TripMenu } from "./TripMenu";

/** The frame of a trip's pages, outside the sidebar layout; loads the trip once for all of them. */
export function TripArea() {
  const { id = "" } = useParams();
  const trip = useTrip(id);

  return (
    <div className={styles.area}>
      <SkipLink />
      <TripMenu />
      <MainArea className={styles.main}>
        <Loaded query={trip} what="trip" level={1}>
          {(file) => <Outlet context={file} />}
        </Loaded>
      </MainArea>
    </div>
  );
}
