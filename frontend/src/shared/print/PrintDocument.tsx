import { useEffect } from "react";
import { createPortal } from "react-dom";
import { useAuthStore } from "@/shared/auth/authStore";
import { PRODUCT_NAME } from "@/shared/config/product";
import type { Printed } from "./PrintButton";
import styles from "./print.module.css";

const withZone = new Intl.DateTimeFormat("en-IN", { dateStyle: "medium", timeStyle: "long" });

/**
 * Prints a document, which replaces the page on paper and is invisible on the screen.
 * @param props `onPrinted` is constant, and called when the browser's print dialog is closed.
 */
export function PrintDocument(props: Printed & { onPrinted: () => void }) {
  const { title, facts, isWide, content, onPrinted } = props;
  const user = useAuthStore((state) => state.user);
  useEffect(() => {
    window.addEventListener("afterprint", onPrinted);
    window.print();
    return () => window.removeEventListener("afterprint", onPrinted);
  }, [onPrinted]);
  const lines = Object.entries({
    ...facts,
    "Printed by": user?.name ?? user?.email ?? user?.sub,
    Printed: withZone.format(new Date()),
  });
  return createPortal(
    <article className={styles.document} aria-label={title} data-wide={isWide || undefined}>
      <header>
        <p className="fl-muted">{PRODUCT_NAME}</p>
        <h1>{title}</h1>
        <dl className={styles.facts}>
          {lines.map(
            ([label, value]) =>
              value && (
                <div key={label}>
                  <dt className="fl-muted">{label}</dt>
                  <dd>{value}</dd>
                </div>
              ),
          )}
        </dl>
      </header>
      {content}
    </article>,
    document.body,
  );
}

interface PrintedTableProps<Row> {
  headers: readonly string[];
  rows: readonly Row[];
  keyOf: (row: Row) => string | number;
  /** A cell by the index of its header. */
  cellOf: (row: Row, index: number) => React.ReactNode;
}

/** A table whose header is repeated on each sheet. */
export function PrintedTable<Row>({ headers, rows, keyOf, cellOf }: PrintedTableProps<Row>) {
  return (
    <table className={styles.table}>
      <thead>
        <tr>
          {headers.map((header) => (
            <th key={header} scope="col">
              {header}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {headers.map((header, index) => (
              <td key={header}>{cellOf(row, index)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
