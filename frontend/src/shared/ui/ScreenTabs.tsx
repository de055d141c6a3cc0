import { Tab, Tabs } from "@blueprintjs/core";
import type { ReactElement } from "react";
import styles from "./ScreenTabs.module.css";

interface ScreenTabsProps<Id extends string> {
  /** Unique on the page. */
  id: string;
  tabs: readonly { id: Id; title: string; panel: ReactElement }[];
  open: Id;
  /** Somebody wants another tab. */
  onOpen: (id: Id) => void;
}

/** The tabs that a whole screen consists of, of which only the open one is rendered; a single one is the screen. */
export function ScreenTabs<Id extends string>({ id, tabs, open, onOpen }: ScreenTabsProps<Id>) {
  if (tabs.length === 1) return tabs[0]?.panel;
  return (
    <Tabs
      id={id}
      className={styles.tabs ?? ""}
      selectedTabId={open}
      onChange={(chosen: Id) => chosen !== open && onOpen(chosen)}
      renderActiveTabPanelOnly
      // The moving line would not follow a tab onto a second row.
      animate={false}
    >
      {tabs.map((tab) => (
        // Arrow keys find only tabs that say whether they are disabled.
        <Tab key={tab.id} {...tab} disabled={false} />
      ))}
    </Tabs>
  );
}
