import { Button, HTMLSelect } from "@blueprintjs/core";
import { ChevronLeft, ChevronRight } from "@blueprintjs/icons";
import { grouped } from "@/shared/format/counted";
import styles from "./TableFoot.module.css";
import { PAGE_SIZES, type TableView } from "./useTableView";

interface TableFootProps {
  /** Rows found on all pages; undefined while loading. */
  found: number | undefined;
  /** The number of selected rows, shown instead of the range and page size. */
  selected: number | undefined;
  /** From 0. */
  pageIndex: number;
  view: Pick<TableView, "pageSize" | "setPageIndex" | "setPageSize">;
}

/** The range shown, the page size and the pages of a table. */
export function TableFoot({ found: known, selected, pageIndex, view }: TableFootProps) {
  const { pageSize, setPageIndex, setPageSize } = view;
  const found = known ?? 0;
  const pages = Math.max(1, Math.ceil(found / pageSize));
  return (
    <div className={`fl-row fl-muted ${styles.foot}`} data-above-toasts>
      <p className={styles.range} role="status">
        {selected === undefined
          ? known !== undefined && rangeText(found, pageIndex, pageSize)
          : `${grouped.format(selected)} of ${grouped.format(found)} row(s) selected.`}
      </p>
      {selected === undefined && (
        <HTMLSelect
          aria-label="Rows per page"
          value={pageSize}
          onChange={(event) => setPageSize(Number(event.currentTarget.value))}
          options={PAGE_SIZES.map((size) => ({ value: size, label: `${size} per page` }))}
        />
      )}
      <nav className={styles.pages} aria-label="Pages">
        <Button
          icon={<ChevronLeft />}
          text="Previous"
          disabled={pageIndex === 0}
          onClick={() => setPageIndex(pageIndex - 1)}
        />
        <span className={styles.page}>
          Page {grouped.format(pageIndex + 1)} of {grouped.format(pages)}
        </span>
        <Button
          endIcon={<ChevronRight />}
          text="Next"
          disabled={pageIndex >= pages - 1}
          onClick={() => setPageIndex(pageIndex + 1)}
        />
      </nav>
    </div>
  );
}

/** `11–20 of 23`. */
function rangeText(found: number, pageIndex: number, pageSize: number): string {
  if (found === 0) return "0 rows";
  const first = pageIndex * pageSize + 1;
  const last = Math.min(found, first + pageSize - 1);
  return `${grouped.format(first)}–${grouped.format(last)} of ${grouped.format(found)}`;
}
