import { Button, type ButtonProps, PopoverNext, type PopoverNextProps, PopupKind } from "@blueprintjs/core";
import { CaretDown } from "@blueprintjs/icons";
import { type ReactNode, type Ref, useMemo, useRef } from "react";

interface ToolPopoverProps {
  button: Pick<ButtonProps, "icon" | "text"> & { ref?: Ref<HTMLButtonElement> };
  /** Its name, for those who do not see the button that it opens from. */
  label: string;
  className: string | undefined;
  children: ReactNode;
}

/** One of a table's tools behind a button; its first field has the focus when it has opened. */
export function ToolPopover({ button, label, className, children }: ToolPopoverProps) {
  const content = useRef<HTMLDivElement>(null);
  // On a phone there is less room beside the button than it would take: the rest is scrolled to.
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
      onOpened={() => content.current?.querySelector<HTMLElement>("select, input")?.focus()}
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
