import { Button } from "@blueprintjs/core";
import { Cross } from "@blueprintjs/icons";
import { type PropsWithChildren, useEffect, useRef } from "react";
import { Outlet, useNavigation } from "react-router";
import { AsOfFrame } from "@/app/asOf/AsOfFrame";
import { MainArea, SkipLink } from "@/shared/frame";
import type { PanelProps } from "../useLazyPanel";
import { Header } from "./Header";
import { Logo } from "./Logo";
import styles from "./Shell.module.css";
import { Sidebar } from "./Sidebar";
import { useSidebar } from "./useSidebar";

/** Header and sidebar around every screen except the trip area. */
export function Shell() {
  const sidebar = useSidebar();
  const { state } = useNavigation();
  return (
    <div
      className={styles.shell}
      data-sidebar={sidebar.isMobile ? "none" : sidebar.isOpen ? "open" : "icons"}
    >
      <SkipLink />
      <Header sidebar={sidebar} />
      {/* While the next screen's code loads; after a short delay (CSS). */}
      {state === "loading" && <div className={styles.line} aria-hidden="true" />}
      {sidebar.isMobile ? (
        <MobileDrawer isOpen={sidebar.isDrawerOpen} onClose={sidebar.closeDrawer}>
          <Sidebar isCollapsed={false} onNavigate={sidebar.closeDrawer} />
        </MobileDrawer>
      ) : (
        <div className={styles.sidebar} id="sidebar">
          <Sidebar isCollapsed={!sidebar.isOpen} />
        </div>
      )}
      <MainArea className={styles.main}>
        <AsOfFrame>
          <Outlet />
        </AsOfFrame>
      </MainArea>
    </div>
  );
}

/** The sidebar on narrow screens: a native modal dialog, which traps the focus and closes on Escape. */
function MobileDrawer({ isOpen, onClose, children }: PropsWithChildren<PanelProps>) {
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
      // `cancel` fires before the dialog closes; `close` may fire after it has been opened again.
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
