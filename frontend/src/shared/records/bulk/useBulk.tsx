import { Button } from "@blueprintjs/core";
import { Edit, Trash } from "@blueprintjs/icons";
import { useAsOf } from "@/shared/asOf";
import { permissionTo, usePermission } from "@/shared/auth/permissions";
import type { DataTableBulk } from "@/shared/table";
import { type Listed, type RecordDefinition, valueSetBy } from "../definition";
import { askBulk, type BulkRequest } from "./bulkStore";

/** Return a list's bulk actions; undefined if the user may not change the records now. */
export function useBulk<Row extends Listed>(
  { api, quickChanges = [] }: Pick<RecordDefinition, "api" | "quickChanges">,
  nameOf: (row: Row) => string,
): DataTableBulk<Row> | undefined {
  const { asOf } = useAsOf();
  const mayChange = usePermission(permissionTo("write", api));
  const mayRemove = usePermission(permissionTo("remove", api));
  if (asOf !== null || !mayChange) return undefined;
  const ask = (
    what: "change" | "remove",
    rows: readonly Row[],
    onDone: () => void,
    values?: BulkRequest["values"],
  ) =>
    askBulk({
      entity: api.noun,
      what,
      records: rows.map((row) => ({ id: row.id, name: nameOf(row) })),
      onDone,
      ...(values && { values }),
    });
  return {
    actions: (selected, clear, hold) => (
      <>
        {quickChanges.map((change) => (
          <Button
            key={change.text}
            icon={change.icon}
            text={`${change.text}...`}
            disabled={selected.length === 0}
            onClick={() => ask("change", selected, hold, { [change.field]: valueSetBy(change) })}
          />
        ))}
        <Button
          icon={<Edit />}
          text="Change..."
          disabled={selected.length === 0}
          onClick={() => ask("change", selected, hold)}
        />
        {mayRemove && (
          <Button
            icon={<Trash />}
            intent="danger"
            variant="outlined"
            text="Delete..."
            disabled={selected.length === 0}
            onClick={() => ask("remove", selected, clear)}
          />
        )}
      </>
    ),
  };
}
