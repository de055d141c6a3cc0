import { Checkbox } from "@blueprintjs/core";
import type { DataColumn } from "./columns";
import styles from "./DataTable.module.css";
import { ToolPopover } from "./ToolPopover";

interface ColumnChoiceProps<Row> {
  columns: readonly DataColumn<Row>[];
  hidden: ReadonlySet<string>;
  onChange: (hidden: ReadonlySet<string>) => void;
}

/** The Columns button: which columns the table shows. The first one names the row and always stays. */
export function ColumnChoice<Row>({ columns, hidden, onChange }: ColumnChoiceProps<Row>) {
  const toggle = (id: string) => {
    const next = new Set(hidden);
    if (!next.delete(id)) next.add(id);
    onChange(next);
  };

  return (
    <ToolPopover button={{ text: "Columns" }} label="Columns shown" className={styles.columnChoice}>
      {columns.slice(1).map(({ id, header }) => (
        <Checkbox key={id} label={header} checked={!hidden.has(id)} onChange={() => toggle(id)} />
      ))}
    </ToolPopover>
  );
}
