import { Button } from "@blueprintjs/core";
import { Cross } from "@blueprintjs/icons";
import { type ReactNode, useEffect, useRef } from "react";
import { Logo } from "./Logo";
import styles from "./MobileDrawer.module.css";

interface MobileDrawerProps {
  isOpen: boolean;
  onClose: () => void;
  children: ReactNode;
}

/** The sidebar on a narrow screen: the browser's own modal dialog keeps the focus and answers Escape. */
export function MobileDrawer({ isOpen, onClose, children }: MobileDrawerProps) {
  const dialog = useRef<HTMLDialogElement>(null);

  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen]);

  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: only the backdrop is clicked; the key for it is Escape
    <dialog
      ref={dialog}
      id="sidebar"
      aria-label="Navigation"
      className={styles.drawer}
      // Escape is told before the dialog closes; `close` comes later, when it may have been opened again.
      onCancel={onClose}
      onClose={({ currentTarget }) => currentTarget.open || onClose()}
      onClick={(event) => event.target === event.currentTarget && onClose()}
    >
      <div className={styles.content}>
        <div className={styles.top}>
          <Logo />
          <Button variant="minimal" icon={<Cross />} aria-label="Close navigation" onClick={onClose} />
        </div>
        {children}
      </div>
    </dialog>
  );
}
