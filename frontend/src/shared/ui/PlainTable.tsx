import type { ReactNode } from "react";
import styles from "./PlainTable.module.css";

/** One column of a {@link PlainTable}. */
export interface PlainColumn<Row> {
  header: string;
  cell: (row: Row) => ReactNode;
  /** Figures and codes are never broken; amounts stand to the right. */
  kind?: "code" | "amount";
  /** Where it stands on a card: the state beside the name, what can be done at the end. */
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
  /** On a narrow screen each row is a card, where it would be scrolled sideways otherwise. */
  hasCards?: boolean;
}

/** A short table to be read: it has no search, order or pages. */
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
      // biome-ignore lint/a11y/noNoninteractiveTabindex: where it is too wide, arrow keys scroll it
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
