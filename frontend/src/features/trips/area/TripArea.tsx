import { Outlet } from "react-router";
import { MainArea, SkipLink } from "@/shared/frame";
import styles from "./TripArea.module.css";
import { TripMenu } from "./TripMenu";

/** The frame of a trip's pages, outside the sidebar layout. */
export function TripArea() {
  return (
    <div className={styles.area}>
      <SkipLink />
      <TripMenu />
      <MainArea className={styles.main}>
        <Outlet />
      </MainArea>
    </div>
  );
}
