import { Button } from "@blueprintjs/core";
import {
  ArrowLeft,
  BankAccount,
  Box,
  Document,
  Flag,
  Home,
  MapMarker,
  MenuClosed,
  MenuOpen,
  Settings,
  TimelineEvents,
  WarningSign,
} from "@blueprintjs/icons";
import { type ComponentType, useEffect, useRef } from "react";
import { useLocation, useParams } from "react-router";
import { create } from "zustand";
import { persist } from "zustand/middleware";
import { useScreenActions } from "@/shared/actions";
import { NavEntry } from "@/shared/frame";
import { useListAddress } from "@/shared/records/paths";
import { TruckIcon } from "@/shared/ui";
import { tripPath } from "../trip";
import styles from "./TripMenu.module.css";

/** Display settings of the trip area, stored in this browser. */
export const useTripPreferences = create(
  // The side menu shows icons only.
  persist(() => ({ isMenuCollapsed: false }), { name: "trip-area" }),
);

const LIST = { list: "/" };

interface Page {
  /** Below the trip's address; empty for the overview. */
  path: string;
  label: string;
  Icon: ComponentType<{ size?: number }>;
}

const PAGES: readonly Page[] = [
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

/** Links to the list and to each page of the trip; a strip that scrolls sideways on narrow screens. */
export function TripMenu() {
  const { id = "" } = useParams();
  const { state } = useLocation();
  const back = useListAddress(LIST);
  const isCollapsed = useTripPreferences((preferences) => preferences.isMenuCollapsed);
  const entries = useRef<HTMLUListElement>(null);
  // After each rendering, the strip shows the current entry.
  useEffect(() => {
    const current = entries.current?.querySelector<HTMLElement>("[aria-current=page]");
    if (entries.current && current) {
      entries.current.scrollLeft =
        current.offsetLeft - (entries.current.clientWidth - current.offsetWidth) / 2;
    }
  });
  const pages = PAGES.map(({ path, ...page }) => ({ ...page, to: tripPath(id) + (path && `/${path}`) }));
  useScreenActions(pages.map(({ to, label, Icon }) => ({ text: label, icon: <Icon />, to })));
  const toggle = isCollapsed ? "Expand menu" : "Collapse menu";

  return (
    <aside className={styles.menu} data-collapsed={isCollapsed}>
      <div className={styles.head}>
        <h2 id="trip-menu" className={styles.title}>
          Trip Management
        </h2>
        <Button
          className={styles.toggle ?? ""}
          variant="minimal"
          icon={isCollapsed ? <MenuOpen /> : <MenuClosed />}
          aria-label={toggle}
          aria-expanded={!isCollapsed}
          title={toggle}
          onClick={() => useTripPreferences.setState({ isMenuCollapsed: !isCollapsed })}
        />
      </div>
      <div>
        <NavEntry to={back} label="Back to Trips" Icon={ArrowLeft} isCollapsed={isCollapsed} />
      </div>
      <nav className={styles.pages} aria-labelledby="trip-menu">
        <ul ref={entries} className={styles.entries}>
          {pages.map(({ to, label, Icon }) => (
            <li key={to}>
              <NavEntry
                to={to}
                // Keeps the list's query string for the way back.
                state={state}
                label={label}
                Icon={Icon}
                isCollapsed={isCollapsed}
              />
            </li>
          ))}
        </ul>
      </nav>
    </aside>
  );
}
