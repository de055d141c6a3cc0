import { Button } from "@blueprintjs/core";
import { Edit, Trash } from "@blueprintjs/icons";
import { useAsOf } from "@/shared/asOf";
import { usePermission } from "@/shared/auth/permissions";
import type { DataTableBulk } from "@/shared/table";
import type { Listed, RecordDefinition } from "../definition";
import { askBulk } from "./bulkStore";

interface BulkOptions<Row> {
  definition: RecordDefinition;
  nameOf: (row: Row) => string;
  /** Constant: whether there is anything to change of a row; by default there is. */
  isSelectable?: (row: Row) => boolean;
}

/** Change and removal of many records of a list: what its table is to offer, if this reader may do any of it now. */
export function useBulk<Row extends Listed>(options: BulkOptions<Row>): DataTableBulk<Row> | undefined {
  const { definition, nameOf, isSelectable } = options;
  const { asOf } = useAsOf();
  const mayChange = usePermission("fleet:write");
  const mayRemove = usePermission("fleet:remove");
  // Rows are sent where whoever sends them may change.
  if (asOf !== null || !mayChange) return undefined;
  const ask = (what: "change" | "remove", rows: readonly Row[], onDone?: () => void) =>
    askBulk({
      entity: definition.api.noun,
      what,
      records: rows.map((row) => ({ id: row.id, name: nameOf(row) })),
      ...(onDone && { onDone }),
    });
  return {
    ...(isSelectable && { isSelectable }),
    actions: (ticked, clear) => (
      <>
        <Button
          icon={<Edit />}
          text="Change..."
          disabled={ticked.length === 0}
          onClick={() => ask("change", ticked)}
        />
        {mayRemove && (
          <Button
            icon={<Trash />}
            intent="danger"
            variant="outlined"
            text="Delete..."
            disabled={ticked.length === 0}
            onClick={() => ask("remove", ticked, clear)}
          />
        )}
      </>
    ),
  };
}
