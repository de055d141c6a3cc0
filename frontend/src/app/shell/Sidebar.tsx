import { NavEntry } from "@/shared/frame";
import { entries } from "./entries";
import styles from "./Sidebar.module.css";
import { SidebarFooter } from "./SidebarFooter";

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
