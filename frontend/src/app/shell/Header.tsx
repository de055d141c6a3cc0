import { Button, Tooltip } from "@blueprintjs/core";
import { Menu, Pulse } from "@blueprintjs/icons";
import type { ReactElement } from "react";
import { Link } from "react-router";
import { AsOfButton } from "@/app/asOf/AsOfButton";
import { PRODUCT_NAME } from "@/shared/config/product";
import { TOOLTIP_DELAY } from "@/shared/ui/tooltip";
import styles from "./Header.module.css";
import { Logo } from "./Logo";
import type { SidebarState } from "./useSidebar";

/** The fixed bar at the top. */
export function Header({ sidebar }: { sidebar: SidebarState }) {
  const isExpanded = sidebar.isMobile ? sidebar.isDrawerOpen : sidebar.isOpen;
  return (
    <header className={styles.header}>
      <Button
        variant="minimal"
        icon={<Menu />}
        aria-label="Toggle sidebar"
        aria-expanded={isExpanded}
        aria-controls="sidebar"
        aria-keyshortcuts="Control+B Meta+B"
        className={styles.button}
        onClick={sidebar.toggle}
      />
      <Link to="/" className={styles.brand} aria-label={`${PRODUCT_NAME}, home`}>
        <Logo />
      </Link>
      <div className={styles.spacer} />
      <AsOfButton className={styles.button} />
      <Unwired name="Recent activity" icon={<Pulse />} />
    </header>
  );
}

/** A button whose behaviour is not built yet, and which says so. */
function Unwired({ name, icon }: { name: string; icon: ReactElement }) {
  return (
    <Tooltip content={`${name} (not here yet)`} hoverOpenDelay={TOOLTIP_DELAY} placement="bottom">
      <Button variant="minimal" icon={icon} aria-label={name} aria-disabled className={styles.button} />
    </Tooltip>
  );
}
