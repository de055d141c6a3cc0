import { create } from "zustand";
import { persist } from "zustand/middleware";

/** The time zone of moments: India's or the browser's. */
export type Clock = "india" | "reader";

interface TripPreferences {
  /** The side menu shows icons only. */
  isMenuCollapsed: boolean;
  clock: Clock;
}

/** Display settings of the trip area, stored in this browser. */
export const useTripPreferences = create<TripPreferences>()(
  persist((): TripPreferences => ({ isMenuCollapsed: false, clock: "india" }), { name: "trip-area" }),
);

export function prefer(change: Partial<TripPreferences>): void {
  useTripPreferences.setState(change);
}
