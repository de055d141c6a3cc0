import { formatDistance } from "@/shared/format/distance";
import timeline from "@/shared/ui/Timeline.module.css";
import { formatDuration } from "./measures";
import { type TransportRoute, waypoints } from "./route";
import styles from "./routes.module.css";

/** The places along a route, from start to end, with distance and time since the start. */
export function RouteTimeline({ route }: { route: TransportRoute }) {
  return (
    <ol>
      {waypoints(route).map(({ place, distance, estimatedTime, actualTime }, index) => (
        // A route may come through the same place twice.
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
