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

/** An icon in the header that opens a dialog, named by its tooltip. */
export function HeaderButton({ name, icon, isOpen, onClick }: HeaderButtonProps) {
  return (
    <Tooltip
      content={name}
      hoverOpenDelay={TOOLTIP_DELAY}
      placement="bottom"
      disabled={isOpen}
      // A child's word on what it opens would be overruled by the tooltip's.
      renderTarget={({ isOpen: _, className = "", ...target }) => (
        <Button
          {...target}
          variant="minimal"
          icon={icon}
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
