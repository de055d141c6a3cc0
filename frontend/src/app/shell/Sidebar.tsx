import { Tooltip } from "@blueprintjs/core";
import { Clipboard, Cog, Route } from "@blueprintjs/icons";
import { NavLink } from "react-router";
import { TruckIcon } from "@/shared/ui";
import { TOOLTIP_DELAY } from "@/shared/ui/tooltip";
import styles from "./Sidebar.module.css";
import { SidebarFooter } from "./SidebarFooter";

const entries = [
  { to: "/", label: "Trips", Icon: Route },
  { to: "/fleets", label: "Fleets", Icon: TruckIcon },
  { to: "/bookings", label: "Bookings", Icon: Clipboard },
  { to: "/management", label: "Management", Icon: Cog },
];

interface SidebarProps {
  /** Icons only. */
  isCollapsed: boolean;
  onNavigate?: () => void;
}

/** The four areas, and who is signed in. An entry is highlighted on exactly its own path. */
export function Sidebar({ isCollapsed, onNavigate }: SidebarProps) {
  return (
    <div className={styles.sidebar} data-collapsed={isCollapsed}>
      <nav aria-label="Main">
        <ul className={styles.entries}>
          {entries.map(({ to, label, Icon }) => (
            <li key={to}>
              <Tooltip
                content={label}
                disabled={!isCollapsed}
                hoverOpenDelay={TOOLTIP_DELAY}
                placement="right"
                fill
              >
                <NavLink to={to} end className={styles.entry} onClick={() => onNavigate?.()}>
                  <Icon />
                  <span className={isCollapsed ? "fl-visually-hidden" : styles.label}>{label}</span>
                </NavLink>
              </Tooltip>
            </li>
          ))}
        </ul>
      </nav>
      <SidebarFooter isCollapsed={isCollapsed} />
    </div>
  );
}
