import { Button } from "@blueprintjs/core";
import { CaretDown, Download } from "@blueprintjs/icons";
import { useScreenActions } from "@/shared/actions";
import type { DataColumn } from "./columns";
import { csvFileName, toCsv } from "./csv";
import styles from "./DataTable.module.css";
import { RowMenu } from "./RowMenu";
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

const NAME = "Download CSV";

/** Downloads what a table shows, for spreadsheets; and, where it does not show all columns, all of them. */
export function CsvButton<Row>({ name, columns, hidden, rows }: CsvButtonProps<Row>) {
  const save = (wanted: readonly DataColumn<Row>[]) =>
    saveFile(csvFileName(name, new Date()), toCsv(wanted, rows), "text/csv;charset=utf-8");
  const shown = columns.filter(({ id }) => !hidden.has(id));
  const none = rows.length === 0;
  useScreenActions(none ? [] : [{ text: NAME, icon: <Download />, onSelect: () => save(shown) }]);
  return (
    <div className={styles.joined}>
      <Button icon={<Download />} text={NAME} disabled={none} onClick={() => save(shown)} />
      {shown.length < columns.length && (
        <RowMenu
          label="Choose what to download"
          button={{ icon: <CaretDown />, disabled: none }}
          actions={[{ text: "All columns", icon: <Download />, onSelect: () => save(columns) }]}
        />
      )}
    </div>
  );
}
