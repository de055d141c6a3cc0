import {
  BankAccount,
  Box,
  Document,
  Flag,
  Home,
  MapMarker,
  Settings,
  TimelineEvents,
  WarningSign,
} from "@blueprintjs/icons";
import type { ComponentType } from "react";
import { TruckIcon } from "@/shared/ui";

interface Entry {
  /** Below the trip's own address; empty for its overview. */
  path: string;
  label: string;
  Icon: ComponentType<{ size?: number }>;
}

/** The trip's pages, in the order of the side menu. */
export const tripEntries: readonly Entry[] = [
  { path: "", label: "Trip Overview", Icon: Home },
  { path: "tracking", label: "Route Tracking", Icon: MapMarker },
  { path: "vehicle", label: "Vehicle Details", Icon: TruckIcon },
  { path: "cargo", label: "Cargo Management", Icon: Box },
  { path: "settlement", label: "Settlement", Icon: BankAccount },
  { path: "documents", label: "Documents", Icon: Document },
  { path: "timeline", label: "Timeline", Icon: TimelineEvents },
  { path: "alerts", label: "Issues & Alerts", Icon: WarningSign },
  { path: "completion", label: "Completion", Icon: Flag },
  { path: "settings", label: "Settings", Icon: Settings },
];
