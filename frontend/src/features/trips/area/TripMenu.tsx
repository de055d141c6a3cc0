import { Button } from "@blueprintjs/core";
import { ArrowLeft, MenuClosed, MenuOpen } from "@blueprintjs/icons";
import { useEffect, useRef } from "react";
import { useLocation, useParams } from "react-router";
import { useScreenActions } from "@/shared/actions";
import { NavEntry } from "@/shared/frame";
import { useListAddress } from "@/shared/records/paths";
import { tripPath } from "../tripPath";
import { tripEntries } from "./entries";
import { prefer, useTripPreferences } from "./preferences";
import styles from "./TripMenu.module.css";

const LIST = { list: "/" };

/** The way back to the list and to each of the trip's pages; a strip to be scrolled on narrow screens. */
export function TripMenu() {
  const { id = "" } = useParams();
  const { state } = useLocation();
  const back = useListAddress(LIST);
  const isCollapsed = useTripPreferences((preferences) => preferences.isMenuCollapsed);
  const entries = useCurrentEntryInSight();
  const pages = tripEntries.map((entry) => ({
    ...entry,
    to: entry.path === "" ? tripPath(id) : `${tripPath(id)}/${entry.path}`,
  }));
  useScreenActions(pages.map(({ to, label, Icon }) => ({ text: label, icon: <Icon />, to })));
  const toggle = isCollapsed ? "Expand menu" : "Collapse menu";

  return (
    <aside className={styles.menu} data-collapsed={isCollapsed}>
      <div className={styles.head}>
        <h2 id="trip-menu" className={styles.title}>
          Trip Management
        </h2>
        <Button
          className={styles.toggle ?? ""}
          variant="minimal"
          icon={isCollapsed ? <MenuOpen /> : <MenuClosed />}
          aria-label={toggle}
          aria-expanded={!isCollapsed}
          title={toggle}
          onClick={() => prefer({ isMenuCollapsed: !isCollapsed })}
        />
      </div>
      <div>
        <NavEntry to={back} label="Back to Trips" Icon={ArrowLeft} isCollapsed={isCollapsed} />
      </div>
      <nav className={styles.pages} aria-labelledby="trip-menu">
        <ul ref={entries} className={styles.entries}>
          {pages.map(({ to, label, Icon }) => (
            <li key={to}>
              <NavEntry
                to={to}
                // Still knows, several pages on, how the list was left.
                state={state}
                label={label}
                Icon={Icon}
                isCollapsed={isCollapsed}
              />
            </li>
          ))}
        </ul>
      </nav>
    </aside>
  );
}

/** On the strip, the entry of the page shown is scrolled to; the menu is only drawn anew when that may change. */
function useCurrentEntryInSight() {
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    const current = list.current?.querySelector<HTMLElement>("[aria-current=page]");
    if (list.current && current) {
      list.current.scrollLeft = current.offsetLeft - (list.current.clientWidth - current.offsetWidth) / 2;
    }
  });
  return list;
}
