import type { ReactNode } from "react";
import styles from "./PlainTable.module.css";

/** One column of a {@link PlainTable}. */
export interface PlainColumn<Row> {
  header: string;
  cell: (row: Row) => ReactNode;
  /** Codes and amounts do not wrap; amounts are right-aligned. */
  kind?: "code" | "amount";
  /** The position on a card: the status after the name, actions at the end. */
  place?: "state" | "action";
}

interface PlainTableProps<Row> {
  /** The table's accessible name. */
  label: string;
  /** Constant; the first one names the row. */
  columns: readonly PlainColumn<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row, index: number) => string;
  /** The last line, one cell per column. */
  totals?: readonly ReactNode[];
  /** Show rows as cards on narrow screens, instead of scrolling sideways. */
  hasCards?: boolean;
}

/** A static table without search, sorting and pages. */
export function PlainTable<Row>({
  label,
  columns,
  rows,
  rowKey,
  totals,
  hasCards = false,
}: PlainTableProps<Row>) {
  const [first, ...others] = columns;
  if (first === undefined) return null;
  return (
    <section
      className={hasCards ? `${styles.scroll} ${styles.cards}` : styles.scroll}
      aria-label={`${label}, table`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys scroll a wide table
      tabIndex={0}
    >
      <table aria-label={label}>
        <thead>
          <tr>
            {columns.map(({ header, kind }) => (
              <th key={header} scope="col" data-kind={kind}>
                {header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={rowKey(row, index)}>
              <th scope="row" data-kind={first.kind}>
                {first.cell(row)}
              </th>
              {others.map(({ header, cell, kind, place }) => (
                <td key={header} data-kind={kind} data-place={place} data-header={header}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
        {totals && (
          <tfoot>
            <tr>
              {columns.map(({ header, kind }, index) => (
                <td key={header} data-kind={kind}>
                  {totals[index]}
                </td>
              ))}
            </tr>
          </tfoot>
        )}
      </table>
    </section>
  );
}
