import styles from "./SkipLink.module.css";

/** The first stop of the Tab key: past header and sidebar. */
export function SkipLink() {
  return (
    <a href="#main" className={styles.skip}>
      Skip to main content
    </a>
  );
}
