import { Button, Checkbox, PopoverNext, PopupKind } from "@blueprintjs/core";
import { CaretDown } from "@blueprintjs/icons";
import { useRef } from "react";
import type { DataColumn } from "./columns";
import styles from "./DataTable.module.css";

interface ColumnChoiceProps<Row> {
  columns: readonly DataColumn<Row>[];
  hidden: ReadonlySet<string>;
  onChange: (hidden: ReadonlySet<string>) => void;
}

/** The Columns button: which columns the table shows. The first one names the row and always stays. */
export function ColumnChoice<Row>({ columns, hidden, onChange }: ColumnChoiceProps<Row>) {
  const content = useRef<HTMLFieldSetElement>(null);
  const toggle = (id: string) => {
    const next = new Set(hidden);
    if (!next.delete(id)) next.add(id);
    onChange(next);
  };

  return (
    <PopoverNext
      placement="bottom-end"
      arrow={false}
      animation="minimal"
      popupKind={PopupKind.DIALOG}
      transitionDuration={0}
      onOpened={() => content.current?.querySelector("input")?.focus()}
      content={
        <fieldset ref={content} className={styles.columnChoice} aria-label="Columns shown">
          {columns.slice(1).map(({ id, header }) => (
            <Checkbox key={id} label={header} checked={!hidden.has(id)} onChange={() => toggle(id)} />
          ))}
        </fieldset>
      }
    >
      <Button text="Columns" endIcon={<CaretDown />} />
    </PopoverNext>
  );
}
