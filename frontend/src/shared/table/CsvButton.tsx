import { Button, Menu, MenuItem, PopoverNext, PopupKind } from "@blueprintjs/core";
import { CaretDown, Download } from "@blueprintjs/icons";
import { useRef } from "react";
import type { DataColumn } from "./columns";
import { csvFileName, toCsv } from "./csv";
import styles from "./DataTable.module.css";
import { useMenuKeys } from "./menuKeys";
import { saveFile } from "./saveFile";

interface CsvButtonProps<Row> {
  /** What the file is called, before the date. */
  name: string;
  columns: readonly DataColumn<Row>[];
  /** Ids of the columns not shown. */
  hidden: ReadonlySet<string>;
  /** The rows found, on all pages, in the order shown. */
  rows: readonly Row[];
}

/** Downloads what a table shows, for spreadsheets; and, where it does not show all columns, all of them. */
export function CsvButton<Row>({ name, columns, hidden, rows }: CsvButtonProps<Row>) {
  const save = (wanted: readonly DataColumn<Row>[]) =>
    saveFile(csvFileName(name, new Date()), toCsv(wanted, rows), "text/csv;charset=utf-8");
  const shown = columns.filter(({ id }) => !hidden.has(id));
  const none = rows.length === 0;
  return (
    <div className={styles.joined}>
      <Button icon={<Download />} text="Download CSV" disabled={none} onClick={() => save(shown)} />
      {shown.length < columns.length && <MoreToDownload disabled={none} onAll={() => save(columns)} />}
    </div>
  );
}

function MoreToDownload({ disabled, onAll }: { disabled: boolean; onAll: () => void }) {
  const content = useRef<HTMLDivElement>(null);
  const onKeyDown = useMenuKeys();
  return (
    <PopoverNext
      placement="bottom-end"
      arrow={false}
      animation="minimal"
      transitionDuration={0}
      popupKind={PopupKind.MENU}
      disabled={disabled}
      onOpened={() => content.current?.querySelector<HTMLElement>("[role='menuitem']")?.focus()}
      content={
        // The menu's own item takes the focus; this element only sees its keys go by.
        // biome-ignore lint/a11y/noStaticElementInteractions: see above
        <div ref={content} onKeyDown={onKeyDown}>
          <Menu aria-label="Download as CSV">
            <MenuItem text="All columns" icon={<Download />} onClick={onAll} />
          </Menu>
        </div>
      }
    >
      <Button icon={<CaretDown />} disabled={disabled} aria-label="Choose what to download" />
    </PopoverNext>
  );
}
