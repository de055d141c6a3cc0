import { formatDistance } from "@/shared/format/distance";
import { type PlainColumn, PlainTable } from "@/shared/ui/PlainTable";
import { formatDuration } from "./measures";
import type { RouteSegment } from "./route";

const COLUMNS: readonly PlainColumn<RouteSegment>[] = [
  { header: "From", cell: ({ from }) => from },
  { header: "To", cell: ({ to }) => to },
  { header: "Distance", cell: ({ distance }) => formatDistance(distance), kind: "amount" },
  { header: "Estimated Time", cell: ({ estimatedTime }) => formatDuration(estimatedTime), kind: "amount" },
  {
    header: "Actual Time",
    cell: ({ actualTime }) => (actualTime === null ? "None" : formatDuration(actualTime)),
    kind: "amount",
  },
  { header: "Road Type", cell: ({ roadType }) => roadType },
];

/** A route's segments, one per line. */
export function SegmentTable({ segments }: { segments: readonly RouteSegment[] }) {
  // A route may take the same segment twice, so only its place tells one from another.
  return (
    <PlainTable label="Segments" columns={COLUMNS} rows={segments} rowKey={(_, index) => String(index)} />
  );
}
