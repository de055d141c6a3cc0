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
import { Fragment, type KeyboardEvent, type ReactElement, useCallback, useRef } from "react";
import { UNAVAILABLE } from "@/shared/ui/buttons";
import styles from "./DataTable.module.css";

/** An action of a row. */
export interface RowAction {
  text: string;
  /** Key, where texts are not unique. */
  id?: string;
  icon: ReactElement;
  /** Missing where the action does nothing yet. */
  onSelect?: () => void;
  /** Pressing E on the focused row runs the action. */
  isEdit?: boolean;
  /** Preceded by a divider. */
  isApart?: boolean;
  /** Preceded by a divider, and in red. */
  destructive?: boolean;
}

/** Copies a text of a row, by default its id. */
export interface CopyAction<Row> {
  text: string;
  /** The toast's text. */
  done: string;
  of?: (row: Row) => string;
}

interface RowMenuProps {
  /** The button's accessible name, e.g. `Actions for Ravi Kumar`. */
  label: string;
  /** Without those that are not available. */
  actions: readonly (RowAction | false | undefined)[];
  /** The button's appearance; by default three dots. */
  button?: Pick<ButtonProps, "icon" | "endIcon" | "text" | "variant" | "disabled">;
}

const THREE_DOTS = { icon: <More />, variant: "minimal" } as const;

/**
 * A button with a menu. The chosen action runs after the menu is closed and the button has the focus again, so that a
 * dialog opened by the action returns the focus to the button.
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
        // Only the menu's items take the focus.
        // biome-ignore lint/a11y/noStaticElementInteractions: see above
        <div ref={content} onKeyDown={onKeyDown}>
          <Menu aria-label={label} className={styles.menu ?? ""}>
            {actions
              .filter((action) => action !== false && action !== undefined)
              .map(({ text, id = text, icon, onSelect, destructive = false, isApart = destructive }) => (
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
              ))}
          </Menu>
        </div>
      }
    >
      <Button ref={trigger} {...button} aria-label={label} />
    </PopoverNext>
  );
}

/** In milliseconds: after this pause, type-ahead starts a new word (specification: constants). */
const TYPE_AHEAD_RESET = 1000;

/** Handle arrows, Home, End and type-ahead in an open menu, which Blueprint's Menu does not. */
function useMenuKeys(): (event: KeyboardEvent<HTMLElement>) => void {
  const typed = useRef({ text: "", at: 0 });

  return useCallback((event) => {
    const items = [...event.currentTarget.querySelectorAll<HTMLElement>("[role^='menuitem']")].filter(
      (item) => item.getAttribute("aria-disabled") !== "true",
    );
    const current = items.indexOf(document.activeElement as HTMLElement);
    const last = items.length - 1;
    const moves: Record<string, number> = {
      ArrowDown: current === last ? 0 : current + 1,
      ArrowUp: current <= 0 ? last : current - 1,
      Home: 0,
      End: last,
    };
    const move = moves[event.key];
    if (move !== undefined) {
      event.preventDefault();
      items[move]?.focus();
      return;
    }
    if (event.key === "Tab") event.preventDefault(); // Only Escape or a choice leaves the menu.
    if (event.key.length !== 1 || event.key === " " || event.ctrlKey || event.metaKey || event.altKey) return;
    const isNew = event.timeStamp - typed.current.at > TYPE_AHEAD_RESET;
    const text = (isNew ? "" : typed.current.text) + event.key.toLowerCase();
    typed.current = { text, at: event.timeStamp };
    items.find((item) => item.textContent?.trim().toLowerCase().startsWith(text))?.focus();
  }, []);
}
