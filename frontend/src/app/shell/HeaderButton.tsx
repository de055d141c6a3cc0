import { Button, Tooltip } from "@blueprintjs/core";
import type { ReactElement } from "react";
import { TOOLTIP_DELAY } from "@/shared/ui/tooltip";
import styles from "./Header.module.css";

interface HeaderButtonProps {
  name: string;
  icon: ReactElement;
  isOpen: boolean;
  onClick: () => void;
}

/** Opens a dialog, from the header: by icon and name, where there is room; else the tooltip has the name. */
export function HeaderButton({ name, icon, isOpen, onClick }: HeaderButtonProps) {
  return (
    <Tooltip
      content={name}
      hoverOpenDelay={TOOLTIP_DELAY}
      placement="bottom"
      disabled={isOpen}
      popoverClassName={styles.tip ?? ""}
      // A child's word on what it opens would be overruled by the tooltip's.
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
            // Where a click gives no focus, the dialog gives it back to the button all the same.
            currentTarget.focus({ preventScroll: true });
            onClick();
          }}
        />
      )}
    />
  );
}
