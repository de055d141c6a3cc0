import { useMemo } from "react";
import { type Placed, PlacesMap } from "@/shared/map";
import type { LocationRow } from "./definition";

interface FoundMapProps {
  /** What the list has found, on all its pages. */
  found: readonly LocationRow[];
  hrefOf: (row: LocationRow) => string;
}

/** Where the locations are that the list has found. */
export function FoundMap({ found, hrefOf }: FoundMapProps) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: addresses change only when the list does
  const places = useMemo(() => found.flatMap((row) => placedOf(row, hrefOf)), [found]);
  return <PlacesMap label="Locations" places={places} />;
}

function placedOf(row: LocationRow, hrefOf: FoundMapProps["hrefOf"]): Placed[] {
  const { id, name, latitude, longitude } = row;
  return latitude === null || longitude === null
    ? []
    : [{ id, name, latitude, longitude, href: hrefOf(row) }];
}
