import { Button } from "@blueprintjs/core";
import { type ReactNode, useState } from "react";
import { refusalText } from "@/shared/auth/refusal";
import { toast } from "@/shared/toast/toastStore";
import styles from "./BulkBar.module.css";
import type { RowSelection } from "./useRowSelection";

/** What can be done with many rows at once. */
export interface Bulk<Row> {
  /** Constant: whether it can be done with one; by default it can. */
  mayTick?: (row: Row) => boolean;
  /** Buttons. They are given the rows that are ticked, and what takes all ticks away. */
  actions: (ticked: readonly Row[], clear: () => void) => ReactNode;
  /** Where not all that were found are here: brings them, or the first of very many. */
  allFound?: () => Promise<readonly Row[]>;
}

interface BulkBarProps<Row extends { id: string }> {
  bulk: Bulk<Row>;
  /** On all pages, as far as they are here. */
  found: readonly Row[];
  /** How many that are on all. */
  count: number;
  selection: RowSelection<Row>;
}

/** More are changed in several goes. */
export const MOST_AT_ONCE = 10_000;

const grouped = new Intl.NumberFormat("en-IN");

/** How many rows are ticked, how to tick all that were found, and what can be done with them. */
export function BulkBar<Row extends { id: string }>({ bulk, found, count, selection }: BulkBarProps<Row>) {
  const { mayTick = () => true, actions, allFound } = bulk;
  const [isLoading, setLoading] = useState(false);
  const tickable = found.filter(mayTick);
  const ticked = selection.rows;
  const elsewhere = allFound ? 0 : ticked.length - tickable.filter(({ id }) => selection.has(id)).length;
  const all = allFound ? count : tickable.length;
  const many =
    all > MOST_AT_ONCE ? `the first ${grouped.format(MOST_AT_ONCE)}` : `all ${grouped.format(all)}`;

  const selectAll = async () => {
    if (allFound === undefined) return selection.set(tickable.slice(0, MOST_AT_ONCE), true);
    setLoading(true);
    try {
      selection.set((await allFound()).filter(mayTick), true);
    } catch (error) {
      const message = refusalText(error) ?? "Not all of them could be loaded. Please try again.";
      toast.show({ title: "Nothing was selected", message, intent: "danger" });
    } finally {
      setLoading(false);
    }
  };

  return (
    <section className={styles.bar} aria-label="Selected rows">
      <p className={styles.count} role="status">
        {grouped.format(ticked.length)} selected
        {elsewhere > 0 && (
          <span className="fl-muted">, {grouped.format(elsewhere)} of them not in the list now</span>
        )}
      </p>
      <Button
        text={`Select ${many} found`}
        loading={isLoading}
        disabled={allFound === undefined && tickable.length === 0}
        onClick={() => void selectAll()}
      />
      <Button text="Clear" disabled={ticked.length === 0} onClick={selection.clear} />
      <div className={styles.actions}>{actions(ticked, selection.clear)}</div>
    </section>
  );
}
