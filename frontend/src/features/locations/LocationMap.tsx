import { useState } from "react";
import type { SectionBelow } from "@/shared/form";
import { type Place, PointMap, readPlace } from "@/shared/map";

/** The map below the coordinates: typed coordinates move the point, and moving the point sets the coordinates. */
export function LocationMap({ values, onChange }: SectionBelow) {
  const place = useLast(readPlace(values.lat ?? "", values.longitude ?? ""));
  if (place === undefined && onChange === undefined) return null;
  const move = ({ latitude, longitude }: Place) =>
    onChange?.({ lat: String(latitude), longitude: String(longitude) });
  return <PointMap name={values.location_name ?? ""} place={place} onMove={onChange && move} />;
}

/** The last valid place: an incomplete number leaves the point unmoved. */
function useLast(place: Place | undefined): Place | undefined {
  const [last, setLast] = useState(place);
  const isSame = place?.latitude === last?.latitude && place?.longitude === last?.longitude;
  if (place !== undefined && !isSame) setLast(place);
  return last;
}
