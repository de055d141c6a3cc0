import { Button } from "@blueprintjs/core";
import { Download } from "@blueprintjs/icons";
import type { DataColumn } from "./columns";
import { csvFileName, toCsv } from "./csv";
import { saveFile } from "./saveFile";

interface CsvButtonProps<Row> {
  /** What the file is called, before the date. */
  name: string;
  /** The columns shown. */
  columns: readonly DataColumn<Row>[];
  /** The rows found, on all pages, in the order shown. */
  rows: readonly Row[];
}

/** Downloads what a table shows, for spreadsheets. */
export function CsvButton<Row>({ name, columns, rows }: CsvButtonProps<Row>) {
  const download = () =>
    saveFile(csvFileName(name, new Date()), toCsv(columns, rows), "text/csv;charset=utf-8");
  return <Button icon={<Download />} text="Download CSV" disabled={rows.length === 0} onClick={download} />;
}
