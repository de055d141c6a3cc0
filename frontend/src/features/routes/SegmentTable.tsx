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
            <th scope="col" data-amount>
              Distance
            </th>
            <th scope="col" data-amount>
              Estimated Time
            </th>
            <th scope="col" data-amount>
              Actual Time
            </th>
            <th scope="col">Road Type</th>
          </tr>
        </thead>
        <tbody>
          {segments.map(({ from, to, distance, estimatedTime, actualTime, roadType }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a route may take the same segment twice
            <tr key={index}>
              <td>{from}</td>
              <td>{to}</td>
              <td data-amount>{formatDistance(distance)}</td>
              <td data-amount>{formatDuration(estimatedTime)}</td>
              <td data-amount>{actualTime === null ? "None" : formatDuration(actualTime)}</td>
              <td>{roadType}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
