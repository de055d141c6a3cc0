import type { ReactNode } from "react";
import { PageHeader, StatusBadge } from "@/shared/ui";
import { tripTone } from "../statuses";
import { useCurrentTrip } from "./useCurrentTrip";

interface TripPageProps {
  /** The page's heading; the trip's number is its subtitle then. Without it the number is the heading. */
  title?: string;
  children: ReactNode;
}

/** The top of each page of the trip area, and its cards below. */
export function TripPage({ title, children }: TripPageProps) {
  const { trip } = useCurrentTrip();
  return (
    <>
      <PageHeader
        title={title ?? trip.trip_number}
        subtitle={title === undefined ? trip.route : `${trip.trip_number} · ${trip.route}`}
        badge={<StatusBadge label={trip.status} tone={tripTone(trip.status)} />}
      />
      <div className="fl-stack">{children}</div>
    </>
  );
}
