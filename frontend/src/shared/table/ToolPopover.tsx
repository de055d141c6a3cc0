import { Button, type ButtonProps, PopoverNext, type PopoverNextProps, PopupKind } from "@blueprintjs/core";
import { CaretDown } from "@blueprintjs/icons";
import { type ReactNode, type Ref, useMemo, useRef } from "react";

/** Selects the fields of a tool. */
export const FIELDS = ":is(select, input, [role=combobox]):enabled";

interface ToolPopoverProps {
  button: Pick<ButtonProps, "icon" | "text"> & { ref?: Ref<HTMLButtonElement> };
  /** Accessible name of the popover. */
  label: string;
  className: string | undefined;
  children: ReactNode;
}

/** A tool behind a button; the first field has the focus when it opens. */
export function ToolPopover({ button, label, className, children }: ToolPopoverProps) {
  const content = useRef<HTMLDivElement>(null);
  // On a phone the content may be higher than the room next to the button.
  const middleware = useMemo<NonNullable<PopoverNextProps["middleware"]>>(
    () => ({
      size: {
        padding: 8,
        apply: ({ availableHeight }) => {
          if (content.current) content.current.style.maxHeight = `min(70vh, ${availableHeight}px)`;
        },
      },
    }),
    [],
  );
  return (
    <PopoverNext
      placement="bottom-end"
      arrow={false}
      middleware={middleware}
      animation="minimal"
      popupKind={PopupKind.DIALOG}
      transitionDuration={0}
      // Fields may have their own popovers, whose focus this one would take back.
      enforceFocus={false}
      onOpened={() => content.current?.querySelector<HTMLElement>(FIELDS)?.focus()}
      content={
        // biome-ignore lint/a11y/useSemanticElements: a fieldset's legend cannot be laid out in a row
        <div ref={content} role="group" aria-label={label} className={className}>
          {children}
        </div>
      }
    >
      <Button {...button} endIcon={<CaretDown />} />
    </PopoverNext>
  );
}
