import { useMemo } from "react";
import { usePermission } from "@/shared/auth/permissions";
import { NOTHING_HIDDEN } from "@/shared/form";
import { DataTable } from "@/shared/table";
import { useNarrowing } from "@/shared/table/filters/useNarrowing";
import type { Listed } from "./fields";
import { useFigures } from "./figures";
import { ListBody, type ListProps, useOpenFilters } from "./ListBody";

interface WholeListProps extends ListProps {
  rows: readonly Listed[];
}

/** A list that is at hand: whatever is made of it is made here. */
export function WholeList({ definition, list, rows }: WholeListProps) {
  const { api, searchFields } = definition;
  // Of all for whoever may see none; otherwise of those that are restricted.
  const mayReadPersonal = usePermission("personal:read");
  const hidden = useMemo(
    () => (mayReadPersonal ? undefined : rows.find((row) => row.hidden)?.hidden) ?? NOTHING_HIDDEN,
    [rows, mayReadPersonal],
  );
  const { figures, passes } = useFigures(list.figures, rows, hidden);
  const specs = useOpenFilters(definition, hidden);
  const { chosen, choose, table } = useNarrowing({ what: `${api.noun}s`, rows, figures, passes, specs });
  return (
    <ListBody
      definition={definition}
      list={list}
      hidden={hidden}
      hasRestricted={rows.some(
        ({ hidden: some, isErased }) => mayReadPersonal && some !== undefined && !isErased,
      )}
      figures={figures}
      chosen={chosen}
      choose={choose}
      isEmpty={rows.length === 0}
    >
      {(props) => <DataTable {...props} {...table} searchFields={searchFields} />}
    </ListBody>
  );
}
