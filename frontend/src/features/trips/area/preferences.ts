import { create } from "zustand";
import { persist } from "zustand/middleware";

/** By whose clock the moments of a trip are told. */
export type Clock = "india" | "reader";

interface TripPreferences {
  /** The side menu shows icons only. */
  isMenuCollapsed: boolean;
  clock: Clock;
}

/** How this reader likes the trip area; remembered in this browser. */
export const useTripPreferences = create<TripPreferences>()(
  persist((): TripPreferences => ({ isMenuCollapsed: false, clock: "india" }), { name: "trip-area" }),
);

/** Changes some of the preferences, and remembers them. */
export function prefer(change: Partial<TripPreferences>): void {
  useTripPreferences.setState(change);
}
