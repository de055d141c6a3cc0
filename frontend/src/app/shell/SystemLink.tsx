import { Classes } from "@blueprintjs/core";
import { Dashboard } from "@blueprintjs/icons";
import { Link } from "react-router";
import { SWRConfig } from "swr";
import { SYSTEM_PATH } from "@/features/system/paths";
import { retryingEvery, STATES, useSystemState } from "@/features/system/pulse";
import { TO_THE_PRESENT } from "@/shared/asOf";
import styles from "./Header.module.css";

/** For whoever is on call: how the system is doing, with a dot when something is wrong, and the way to what it is. */
export function SystemLink() {
  return (
    <SWRConfig value={STEADILY}>
      <Pulse />
    </SWRConfig>
  );
}

const STEADILY = retryingEvery(30_000);

function Pulse() {
  const state = useSystemState();
  const said = state === "unknown" ? "not reached" : state && STATES[state].label.toLowerCase();
  const name = said === undefined ? "System" : `System: ${said}`;
  return (
    <Link
      to={SYSTEM_PATH}
      state={TO_THE_PRESENT}
      className={`${Classes.BUTTON} ${Classes.MINIMAL} ${styles.button} ${styles.pulse}`}
      data-state={state}
      aria-label={name}
      title={name}
    >
      <Dashboard aria-hidden />
      <span className={`${Classes.BUTTON_TEXT} ${styles.label}`}>System</span>
    </Link>
  );
}
