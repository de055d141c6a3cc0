import { useEffect } from "react";
import { createPortal } from "react-dom";
import { useAuthStore } from "@/shared/auth/authStore";
import { PRODUCT_NAME } from "@/shared/config/product";
import type { PlainColumn } from "@/shared/ui/PlainTable";
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
  columns: readonly Pick<PlainColumn<Row>, "header" | "cell">[];
  rows: readonly Row[];
  keyOf: (row: Row) => string | number;
}

/** A table whose header is repeated on each sheet. */
export function PrintedTable<Row>({ columns, rows, keyOf }: PrintedTableProps<Row>) {
  return (
    <table className={styles.table}>
      <thead>
        <tr>
          {columns.map(({ header }) => (
            <th key={header} scope="col">
              {header}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map(({ header, cell }) => (
              <td key={header}>{cell(row)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
