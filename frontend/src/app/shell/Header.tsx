import { Button, Classes, Tooltip } from "@blueprintjs/core";
import { Dashboard, History, Menu, Pulse } from "@blueprintjs/icons";
import type { ComponentType, ReactElement } from "react";
import { Link } from "react-router";
import { PaletteField } from "@/app/palette/PaletteField";
import { SYSTEM_PATH } from "@/features/system/routes";
import { STATES, useSystemState } from "@/features/system/systemState";
import { useScreenActions } from "@/shared/actions";
import { TO_THE_PRESENT } from "@/shared/asOf";
import { Permitted } from "@/shared/auth/permissions";
import { PRODUCT_NAME } from "@/shared/config/product";
import { TOOLTIP_DELAY } from "@/shared/ui/browser";
import { loadRecordKinds } from "../recordKinds";
import { type PanelProps, useLazyPanel } from "../useLazyPanel";
import styles from "./Header.module.css";
import { Logo } from "./Logo";
import { SIDEBAR_KEYS, type SidebarState } from "./useSidebar";

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
      <PaletteField className={styles.button} />
      <Permitted to="operations:read">
        <SystemLink />
      </Permitted>
      <Permitted to="history:read">
        <HeaderButton
          name="View as of…"
          icon={<History />}
          load={loadDialog}
          failure="Failed to open the date selection"
        />
      </Permitted>
      <Permitted to="audit:read">
        <HeaderButton
          name="Recent activity"
          icon={<Pulse />}
          load={loadPanel}
          failure="Failed to open recent activity"
        />
      </Permitted>
    </header>
  );
}

interface HeaderButtonProps {
  name: string;
  icon: ReactElement;
  load: () => Promise<ComponentType<PanelProps>>;
  /** The title of the error message if the panel cannot be loaded. */
  failure: string;
}

/** A button that opens a panel: icon and name, or an icon with a tooltip on narrow screens. */
function HeaderButton({ name, icon, load, failure }: HeaderButtonProps) {
  const { isOpen, open, panel } = useLazyPanel(load, failure);
  useScreenActions([{ text: name, icon, onSelect: open }], "frame");
  return (
    <>
      <Tooltip
        content={name}
        hoverOpenDelay={TOOLTIP_DELAY}
        placement="bottom"
        disabled={isOpen}
        popoverClassName={styles.tip ?? ""}
        // The tooltip would override a child's `aria-haspopup`.
        renderTarget={({ isOpen: _, className = "", ...target }) => (
          <Button
            {...target}
            variant="minimal"
            icon={icon}
            text={<span className={styles.label}>{name}</span>}
            aria-label={name}
            aria-haspopup="dialog"
            aria-expanded={isOpen}
            className={`${className} ${styles.button}`}
            onClick={({ currentTarget }) => {
              // Safari does not focus a clicked button, but the dialog returns the focus to it.
              currentTarget.focus({ preventScroll: true });
              void open();
            }}
          />
        )}
      />
      {panel}
    </>
  );
}

/** A link to the System screen, with a dot unless all is well. */
export function SystemLink() {
  const state = useSystemState();
  const text = state === "unknown" ? "unreachable" : state && STATES[state].label.toLowerCase();
  const name = text === undefined ? "System" : `System: ${text}`;
  return (
    <Link
      to={SYSTEM_PATH}
      state={TO_THE_PRESENT}
      className={`${Classes.BUTTON} ${Classes.MINIMAL} ${styles.button} ${styles.pulse}`}
      data-state={state}
      aria-label={name}
      title={name}
    >
      <Dashboard aria-hidden />
      <span className={`${Classes.BUTTON_TEXT} ${styles.label}`}>System</span>
    </Link>
  );
}

async function loadPanel(): Promise<ComponentType<PanelProps>> {
  const [{ RecentActivity }, kinds] = await Promise.all([
    import("@/features/audit/activity/RecentActivity"),
    loadRecordKinds(),
  ]);
  return (props) => <RecentActivity {...props} kinds={kinds} />;
}

const loadDialog = async () => (await import("../asOf/AsOfDialog")).AsOfDialog;
