import { ArrowLeft } from "@blueprintjs/icons";
import { Link, Outlet } from "react-router";
import styles from "./TripArea.module.css";

/** The frame of the trip area, which stands outside the sidebar's. */
export function TripArea() {
  return (
    <div className={styles.area}>
      <Link to="/" className={styles.back}>
        <ArrowLeft aria-hidden /> Back to Trips
      </Link>
      <main id="main">
        <Outlet />
      </main>
    </div>
  );
}
