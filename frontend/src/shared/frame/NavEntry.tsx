import { Tooltip } from "@blueprintjs/core";
import type { ComponentType } from "react";
import { NavLink } from "react-router";
import { TOOLTIP_DELAY } from "@/shared/ui/browser";
import styles from "./frame.module.css";

interface NavEntryProps {
  to: string;
  /** The router state of the link. */
  state?: unknown;
  label: string;
  Icon: ComponentType;
  /** Icon only, with a tooltip, on wide screens. */
  isCollapsed: boolean;
  onClick?: (() => void) | undefined;
}

/** A link in a side menu, highlighted on exactly its path. */
export function NavEntry({ to, state, label, Icon, isCollapsed, onClick }: NavEntryProps) {
  return (
    <Tooltip content={label} disabled={!isCollapsed} hoverOpenDelay={TOOLTIP_DELAY} placement="right" fill>
      <NavLink
        to={to}
        state={state}
        end
        className={styles.entry}
        data-collapsed={isCollapsed || undefined}
        onClick={onClick}
      >
        <Icon aria-hidden />
        <span className={styles.label}>{label}</span>
      </NavLink>
    </Tooltip>
  );
}
