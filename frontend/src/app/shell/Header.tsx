import { Button } from "@blueprintjs/core";
import { Menu } from "@blueprintjs/icons";
import { Link } from "react-router";
import { AsOfButton } from "@/app/asOf/AsOfButton";
import { PaletteField } from "@/app/palette/PaletteField";
import { Permitted } from "@/shared/auth/permissions";
import { PRODUCT_NAME } from "@/shared/config/product";
import { ActivityButton } from "./ActivityButton";
import styles from "./Header.module.css";
import { Logo } from "./Logo";
import { SystemLink } from "./SystemLink";
import { SIDEBAR_KEYS, type SidebarState } from "./useSidebar";

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
        aria-keyshortcuts={SIDEBAR_KEYS.keys.join(" ")}
        className={styles.button}
        onClick={sidebar.toggle}
      />
      <Link to="/" className={styles.brand} aria-label={`${PRODUCT_NAME}, home`}>
        <Logo />
      </Link>
      <PaletteField />
      <Permitted to="operations:read">
        <SystemLink />
      </Permitted>
      <Permitted to="history:read">
        <AsOfButton />
      </Permitted>
      <Permitted to="audit:read">
        <ActivityButton />
      </Permitted>
    </header>
  );
}
