import { PRODUCT_NAME } from "@/shared/config/product";
import styles from "./Logo.module.css";

/** The mark, an F made of a dashed lane and log lines, and the product's name. */
export function Logo() {
  return (
    <span className="fl-inline fl-middle fl-gap-8">
      <svg
        viewBox="0 0 24 24"
        width="28"
        height="28"
        fill="none"
        stroke="currentColor"
        strokeWidth="3"
        strokeLinecap="round"
        aria-hidden="true"
      >
        <path d="M5 3.500v4.500M5 11v4.500M5 18.500v2" className={styles.lane} />
        <path d="M10.500 4h9M10.500 11.500h6M10.500 19h1.500" />
      </svg>
      <span className={styles.name}>{PRODUCT_NAME}</span>
    </span>
  );
}
