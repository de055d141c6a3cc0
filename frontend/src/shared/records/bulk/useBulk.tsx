import { Button } from "@blueprintjs/core";
import { Edit, Trash } from "@blueprintjs/icons";
import { useAsOf } from "@/shared/asOf";
import { usePermission } from "@/shared/auth/permissions";
import type { DataTableBulk } from "@/shared/table";
import type { Listed } from "../definition";
import { askBulk } from "./bulkStore";

/** Return a list's bulk actions; undefined if the user may not change the records now. */
export function useBulk<Row extends Listed>(
  entity: string,
  nameOf: (row: Row) => string,
): DataTableBulk<Row> | undefined {
  const { asOf } = useAsOf();
  const mayChange = usePermission("fleet:write");
  const mayRemove = usePermission("fleet:remove");
  if (asOf !== null || !mayChange) return undefined;
  const ask = (what: "change" | "remove", rows: readonly Row[], onDone?: () => void) =>
    askBulk({
      entity,
      what,
      records: rows.map((row) => ({ id: row.id, name: nameOf(row) })),
      ...(onDone && { onDone }),
    });
  return {
    actions: (selected, clear, hold) => (
      <>
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
