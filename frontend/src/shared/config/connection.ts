/** In kB per second. */
const SLOW = 75;
/** In bytes; smaller files say little about the connection. */
const LARGE = 50_000;

/** Whether the scripts were loaded over a slow connection; false if the browser had them. */
export function isConnectionSlow(): boolean {
  const files = performance.getEntriesByType?.("resource") as PerformanceResourceTiming[] | undefined;
  return (files ?? []).some(
    ({ transferSize, startTime, responseEnd }) =>
      transferSize > LARGE && transferSize < SLOW * (responseEnd - startTime),
  );
}
