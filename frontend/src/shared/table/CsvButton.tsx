import { Button } from "@blueprintjs/core";
import { CaretDown, Download } from "@blueprintjs/icons";
import { useScreenActions } from "@/shared/actions";
import type { DataColumn } from "./columns";
import { RowMenu } from "./RowMenu";

interface CsvButtonProps<Row> {
  columns: readonly DataColumn<Row>[];
  /** Ids of the hidden columns. */
  hidden: ReadonlySet<string>;
  isDisabled: boolean;
  /** A download is running: another cannot be started. */
  isUnderWay?: boolean;
  /** Download the rows found with some columns. */
  onSave: (columns: readonly DataColumn<Row>[]) => void;
}

const NAME = "Download CSV";

/** Downloads a table's visible columns as CSV, or all columns if some are hidden. */
export function CsvButton<Row>(props: CsvButtonProps<Row>) {
  const { columns, hidden, isDisabled, isUnderWay = false, onSave } = props;
  const shown = columns.filter(({ id }) => !hidden.has(id));
  useScreenActions(isDisabled ? [] : [{ text: NAME, icon: <Download />, onSelect: () => onSave(shown) }]);
  return (
    <div className="fl-flex">
      <Button
        icon={<Download />}
        text={isUnderWay ? "Downloading..." : NAME}
        disabled={isDisabled}
        // Not disabled, which would lose the focus.
        aria-disabled={isUnderWay}
        aria-busy={isUnderWay}
        onClick={() => onSave(shown)}
      />
      {shown.length < columns.length && (
        <RowMenu
          label="Choose what to download"
          button={{ icon: <CaretDown />, disabled: isDisabled }}
          actions={[{ text: "All columns", icon: <Download />, onSelect: () => onSave(columns) }]}
        />
      )}
    </div>
  );
}
