import { useRef } from "react";
import { Outlet, ScrollRestoration } from "react-router";
import { AsOfFrame } from "@/app/asOf/AsOfFrame";
import { RouteAnnouncer, SkipLink, useFocusOnNavigation } from "@/shared/frame";
import { Header } from "./Header";
import { MobileDrawer } from "./MobileDrawer";
import { NavigationProgress } from "./NavigationProgress";
import styles from "./Shell.module.css";
import { Sidebar } from "./Sidebar";
import { useSidebar } from "./useSidebar";

/** The frame around every screen but the trip area: header, sidebar, and the screen itself. */
export function Shell() {
  const sidebar = useSidebar();
  const main = useRef<HTMLElement>(null);
  useFocusOnNavigation(main);

  return (
    <div
      className={styles.shell}
      data-sidebar={sidebar.isMobile ? "none" : sidebar.isOpen ? "open" : "icons"}
    >
      <SkipLink />
      <Header sidebar={sidebar} />
      <NavigationProgress />
      {sidebar.isMobile ? (
        <MobileDrawer isOpen={sidebar.isDrawerOpen} onClose={sidebar.closeDrawer}>
          <Sidebar isCollapsed={false} onNavigate={sidebar.closeDrawer} />
        </MobileDrawer>
      ) : (
        <div className={styles.sidebar} id="sidebar">
          <Sidebar isCollapsed={!sidebar.isOpen} />
        </div>
      )}
      <main ref={main} id="main" tabIndex={-1} className={styles.main}>
        <AsOfFrame>
          <Outlet />
        </AsOfFrame>
      </main>
      <RouteAnnouncer />
      <ScrollRestoration />
    </div>
  );
}
