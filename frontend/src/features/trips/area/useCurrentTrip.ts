import { useOutletContext } from "react-router";
import type { TripFile } from "../trip";

/** The trip whose area the page is in, with its records. */
export function useCurrentTrip(): TripFile {
  return useOutletContext<TripFile>();
}
