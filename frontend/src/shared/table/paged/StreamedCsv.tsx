import { Button } from "@blueprintjs/core";
import { formatMegabytes } from "@/shared/format/megabytes";
import { CsvButton } from "../CsvButton";
import type { DataColumn } from "../columns";
import { csvFileName } from "../csv";
import { useDownload } from "../useDownload";
import type { TableView } from "../useTableView";
import { askedOfView, listsPath, type PagedList, withQuery } from "./pages";

interface StreamedCsvProps<Row> {
  /** What the file is called, before the date. */
  name: string;
  list: PagedList<Row>;
  columns: readonly DataColumn<Row>[];
  view: TableView;
  count: number;
}

/** Downloads the rows found as the server writes them, however many there are. */
export function StreamedCsv<Row>({ name, list, columns, view, count }: StreamedCsvProps<Row>) {
  const { isUnderWay, bytes, download, cancel } = useDownload();
  const save = async (wanted: readonly DataColumn<Row>[]) => {
    if (isUnderWay) return;
    const asked = [
      ...(list.narrowing ?? []),
      ...askedOfView(columns, view),
      ["columns", wanted.map(({ wire, id }) => wire ?? id).join(",")],
      ...wanted.map(({ header }) => ["headers", header] as const),
    ] as const;
    await download(withQuery(`${listsPath(list.path)}/export`, asked), {
      name: csvFileName(name, new Date()),
      done: "List downloaded",
      failed: "Failed to download the list",
    });
  };
  return (
    <>
      <CsvButton
        columns={columns}
        hidden={view.hidden}
        isDisabled={count === 0}
        isUnderWay={isUnderWay}
        onSave={(wanted) => void save(wanted)}
      />
      {isUnderWay && (
        <>
          <span className="fl-muted">{formatMegabytes(bytes)}</span>
          <Button variant="minimal" text="Cancel" onClick={cancel} />
        </>
      )}
    </>
  );
}
