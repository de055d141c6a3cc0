import { Outlet } from "react-router";
import { AsOfFrame } from "@/app/asOf/AsOfFrame";
import { MainArea, SkipLink } from "@/shared/frame";
import { Header } from "./Header";
import { MobileDrawer } from "./MobileDrawer";
import { NavigationProgress } from "./NavigationProgress";
import styles from "./Shell.module.css";
import { Sidebar } from "./Sidebar";
import { useSidebar } from "./useSidebar";

/** The frame around every screen but the trip area: header, sidebar, and the screen itself. */
export function Shell() {
  const sidebar = useSidebar();

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
      <MainArea className={styles.main}>
        <AsOfFrame>
          <Outlet />
        </AsOfFrame>
      </MainArea>
    </div>
  );
}
