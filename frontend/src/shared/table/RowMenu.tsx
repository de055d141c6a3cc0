import { Button, Menu, MenuDivider, MenuItem, PopoverNext, PopupKind } from "@blueprintjs/core";
import { More } from "@blueprintjs/icons";
import { Fragment, type ReactElement, useRef } from "react";
import { useMenuKeys } from "./menuKeys";

/** One thing that can be done with a row. */
export interface RowAction {
  text: string;
  icon: ReactElement;
  onSelect: () => void;
  /** Set apart from the others and coloured as a danger. */
  destructive?: boolean;
}

interface RowMenuProps {
  /** The accessible name of the button, e.g. `Actions for Ravi Kumar`. */
  label: string;
  actions: readonly RowAction[];
}

/** The three dots at the end of a row, and the menu behind them. */
export function RowMenu({ label, actions }: RowMenuProps) {
  const trigger = useRef<HTMLButtonElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const onKeyDown = useMenuKeys();

  return (
    <PopoverNext
      placement="bottom-end"
      arrow={false}
      animation="minimal"
      popupKind={PopupKind.MENU}
      onOpened={() => content.current?.querySelector<HTMLElement>("[role='menuitem']")?.focus()}
      content={
        // The menu's own items take the focus; this element only sees their keys go by.
        // biome-ignore lint/a11y/noStaticElementInteractions: see above
        <div ref={content} onKeyDown={onKeyDown}>
          <Menu aria-label={label}>
            {actions.map(({ text, icon, onSelect, destructive = false }) => (
              <Fragment key={text}>
                {destructive && <MenuDivider />}
                <MenuItem
                  text={text}
                  icon={icon}
                  intent={destructive ? "danger" : "none"}
                  onClick={() => {
                    trigger.current?.focus(); // so that a dialog knows where to return it
                    onSelect();
                  }}
                />
              </Fragment>
            ))}
          </Menu>
        </div>
      }
    >
      <Button ref={trigger} variant="minimal" icon={<More />} aria-label={label} />
    </PopoverNext>
  );
}
