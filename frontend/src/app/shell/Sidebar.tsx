import { Clipboard, Cog, Route } from "@blueprintjs/icons";
import { NavEntry } from "@/shared/frame";
import { TruckIcon } from "@/shared/ui";
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
          {entries.map((entry) => (
            <li key={entry.to}>
              <NavEntry {...entry} isCollapsed={isCollapsed} onClick={onNavigate} />
            </li>
          ))}
        </ul>
      </nav>
      <SidebarFooter isCollapsed={isCollapsed} />
    </div>
  );
}
