import { Tab, Tabs } from "@blueprintjs/core";
import type { ReactElement } from "react";
import styles from "./ScreenTabs.module.css";

interface ScreenTabsProps<Id extends string> {
  /** Unique on the page. */
  id: string;
  tabs: readonly { id: Id; title: string; panel: ReactElement }[];
  open: Id;
  onOpen: (id: Id) => void;
}

/** The tabs of a screen. Only the open panel is rendered; a single tab is rendered without a tab list. */
export function ScreenTabs<Id extends string>({ id, tabs, open, onOpen }: ScreenTabsProps<Id>) {
  if (tabs.length === 1) return tabs[0]?.panel;
  return (
    <Tabs
      id={id}
      className={styles.tabs ?? ""}
      selectedTabId={open}
      onChange={(chosen: Id) => chosen !== open && onOpen(chosen)}
      renderActiveTabPanelOnly
      // The animated line does not follow a tab to a second row.
      animate={false}
    >
      {tabs.map((tab) => (
        // Blueprint's arrow keys skip tabs without `disabled`.
        <Tab key={tab.id} {...tab} disabled={false} />
      ))}
    </Tabs>
  );
}
