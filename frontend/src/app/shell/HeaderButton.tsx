import { Button, Tooltip } from "@blueprintjs/core";
import type { ComponentType, ReactElement } from "react";
import { useScreenActions } from "@/shared/actions";
import { TOOLTIP_DELAY } from "@/shared/ui/tooltip";
import { type PanelProps, useLazyPanel } from "../useLazyPanel";
import styles from "./Header.module.css";

interface HeaderButtonProps {
  name: string;
  icon: ReactElement;
  load: () => Promise<ComponentType<PanelProps>>;
  /** What it opens, as it is called where it does not come. */
  what: string;
}

/** Opens a panel, from the header: by icon and name, where there is room; else the tooltip has the name. */
export function HeaderButton({ name, icon, load, what }: HeaderButtonProps) {
  const { isOpen, open, panel } = useLazyPanel(load, what);
  useScreenActions([{ text: name, icon, onSelect: open }], "frame");
  return (
    <>
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
              void open();
            }}
          />
        )}
      />
      {panel}
    </>
  );
}
