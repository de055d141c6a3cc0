import { Button, Drawer } from "@blueprintjs/core";
import { Cross } from "@blueprintjs/icons";
import { type ReactNode, useId, useRef } from "react";
import styles from "./SidePanel.module.css";

/** A panel on the right. Long content must scroll within itself. */
export function SidePanel(props: {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  children: ReactNode;
}) {
  const { title, isOpen, onClose, children } = props;
  const titleId = useId();
  const close = useRef<HTMLButtonElement>(null);
  return (
    <Drawer
      isOpen={isOpen}
      position="right"
      className={styles.drawer}
      portalClassName="fl-above"
      onClose={onClose}
      // An earlier focus would overwrite the element to return to.
      onOpened={() => close.current?.focus()}
    >
      <div className={styles.panel} role="dialog" aria-modal aria-labelledby={titleId}>
        <div className={styles.head}>
          <h2 id={titleId} className="fl-lead fl-strong">
            {title}
          </h2>
          <Button ref={close} variant="minimal" icon={<Cross />} aria-label="Close" onClick={onClose} />
        </div>
        {children}
      </div>
    </Drawer>
  );
}
