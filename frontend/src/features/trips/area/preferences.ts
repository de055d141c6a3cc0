import { create } from "zustand";
import { persist } from "zustand/middleware";

/** Display settings of the trip area, stored in this browser. */
export const useTripPreferences = create(
  // The side menu shows icons only.
  persist(() => ({ isMenuCollapsed: false }), { name: "trip-area" }),
);
