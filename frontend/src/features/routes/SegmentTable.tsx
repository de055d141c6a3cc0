import { formatDistance, formatDuration } from "./measures";
import type { RouteSegment } from "./route";
import styles from "./routes.module.css";

/** A route's segments, one per line. */
export function SegmentTable({ segments }: { segments: readonly RouteSegment[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: narrow screens scroll it, by key as well
    <section className={styles.scroll} aria-label="Segments, scrollable" tabIndex={0}>
      <table className={styles.table} aria-label="Segments">
        <thead>
          <tr>
            <th scope="col">From</th>
            <th scope="col">To</th>
            <th scope="col">Distance</th>
            <th scope="col">Estimated Time</th>
            <th scope="col">Actual Time</th>
            <th scope="col">Road Type</th>
          </tr>
        </thead>
        <tbody>
          {segments.map(({ from, to, distance, estimatedTime, actualTime, roadType }) => (
            <tr key={`${from}-${to}`}>
              <td>{from}</td>
              <td>{to}</td>
              <td data-numeric>{formatDistance(distance)}</td>
              <td data-numeric>{formatDuration(estimatedTime)}</td>
              <td data-numeric>{actualTime === null ? "None" : formatDuration(actualTime)}</td>
              <td>{roadType}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
