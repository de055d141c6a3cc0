import {
  Button,
  type ButtonProps,
  Menu,
  MenuDivider,
  MenuItem,
  PopoverNext,
  PopupKind,
} from "@blueprintjs/core";
import { More } from "@blueprintjs/icons";
import { Fragment, type ReactElement, useRef } from "react";
import { UNAVAILABLE } from "@/shared/ui/buttons";
import styles from "./DataTable.module.css";
import { useMenuKeys } from "./menuKeys";

/** One thing that can be done with a row. */
export interface RowAction {
  text: string;
  /** Tells it from others of the same text. */
  id?: string;
  icon: ReactElement;
  /** Without it, it is there and does nothing yet. */
  onSelect?: () => void;
  /** The table does it with the row that has the focus when E is pressed. */
  isEdit?: boolean;
  /** Set apart from those before it. */
  isApart?: boolean;
  /** As well, and coloured as a danger. */
  destructive?: boolean;
}

/** That something of a row can be copied; by default its id. */
export interface CopyAction<Row> {
  text: string;
  /** Said when it has been copied. */
  done: string;
  of?: (row: Row) => string;
}

interface RowMenuProps {
  /** The accessible name of the button, e.g. `Actions for Ravi Kumar`. */
  label: string;
  actions: readonly RowAction[];
  /** How the button looks; by default three dots. */
  button?: Pick<ButtonProps, "icon" | "endIcon" | "text" | "variant" | "disabled">;
}

const THREE_DOTS = { icon: <More />, variant: "minimal" } as const;

/**
 * A button, such as the three dots at the end of a row, and the menu behind it. What was chosen happens when the menu is
 * gone and its button has the focus again, so that a dialog takes it from there and gives it back there.
 */
export function RowMenu({ label, actions, button = THREE_DOTS }: RowMenuProps) {
  const trigger = useRef<HTMLButtonElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const chosen = useRef<() => void>(undefined);
  const onKeyDown = useMenuKeys();

  const actOnChoice = () => {
    const act = chosen.current;
    chosen.current = undefined;
    if (act === undefined) return;
    trigger.current?.focus();
    act();
  };

  return (
    <PopoverNext
      placement="bottom-end"
      arrow={false}
      animation="minimal"
      transitionDuration={0}
      popupKind={PopupKind.MENU}
      disabled={button.disabled ?? false}
      onOpened={() => content.current?.querySelector<HTMLElement>("[role='menuitem']")?.focus()}
      onClosed={actOnChoice}
      content={
        // The menu's own items take the focus; this element only sees their keys go by.
        // biome-ignore lint/a11y/noStaticElementInteractions: see above
        <div ref={content} onKeyDown={onKeyDown}>
          <Menu aria-label={label} className={styles.menu ?? ""}>
            {actions.map(
              ({ text, id = text, icon, onSelect, destructive = false, isApart = destructive }) => (
                <Fragment key={id}>
                  {isApart && <MenuDivider />}
                  <MenuItem
                    text={text}
                    icon={icon}
                    intent={destructive && onSelect ? "danger" : "none"}
                    {...(!onSelect && UNAVAILABLE)}
                    onClick={() => {
                      chosen.current = onSelect;
                    }}
                  />
                </Fragment>
              ),
            )}
          </Menu>
        </div>
      }
    >
      <Button ref={trigger} {...button} aria-label={label} />
    </PopoverNext>
  );
}
