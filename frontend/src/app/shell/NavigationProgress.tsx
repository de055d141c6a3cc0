import { useNavigation } from "react-router";
import styles from "./NavigationProgress.module.css";

/** A line below the header while the next screen's code is on its way; not for the blink of an eye. */
export function NavigationProgress() {
  const { state } = useNavigation();
  return state === "loading" ? <div className={styles.line} aria-hidden="true" /> : null;
}
