import { useState } from "react";
import type { SectionBelow } from "@/shared/form";
import { type Place, PointMap, readPlace } from "@/shared/map";

/** Where a location is, below its coordinates: what is typed moves the point, and moving the point fills them in. */
export function LocationMap({ values, onChange }: SectionBelow) {
  const place = useLast(readPlace(values.lat ?? "", values.longitude ?? ""));
  if (place === undefined && onChange === undefined) return null;
  const move = ({ latitude, longitude }: Place) =>
    onChange?.({ lat: String(latitude), longitude: String(longitude) });
  return <PointMap name={values.location_name ?? ""} place={place} onMove={onChange && move} />;
}

/** The last place that there was: half a number leaves the point where it is. */
function useLast(place: Place | undefined): Place | undefined {
  const [last, setLast] = useState(place);
  const isSame = place?.latitude === last?.latitude && place?.longitude === last?.longitude;
  if (place !== undefined && !isSame) setLast(place);
  return last;
}
