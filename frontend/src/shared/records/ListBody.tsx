import { Edit, Trash } from "@blueprintjs/icons";
import { type ReactNode, useMemo, useState } from "react";
import { useNavigate } from "react-router";
import { useAsOf } from "@/shared/asOf";
import { usePermission } from "@/shared/auth/permissions";
import type { HiddenNames } from "@/shared/form";
import { capitalized } from "@/shared/format/capitalized";
import { useListState } from "@/shared/table";
import type { TableProps } from "@/shared/table/tableProps";
import { EmptyState, type Figure, HiddenRemark, LinkButton, StatCards } from "@/shared/ui";
import { useBulk } from "./bulk/useBulk";
import { DeleteRecordDialog } from "./DeleteRecordDialog";
import type { Listed, RecordDefinition, RecordList } from "./definition";
import { editPath, viewPath } from "./paths";

export interface ListProps {
  definition: RecordDefinition;
  list: RecordList<Listed>;
}

interface ListBodyProps extends ListProps {
  /** Which cells the server keeps back from this reader. */
  hidden: HiddenNames;
  /** Some rows are restricted, as far as is known. */
  hasRestricted?: boolean;
  figures: readonly Figure[];
  /** The filter of the figure chosen, if one is. */
  chosen: string | null;
  choose: (filter: string | null) => void;
  isEmpty: boolean;
  /** The table, of what this says of it and of where its rows are from. */
  children: (table: TableProps<Listed>) => ReactNode;
}

/** What a list of records shows, wherever its rows are from: figures, table, and what can be done with each. */
export function ListBody(props: ListBodyProps) {
  const {
    definition,
    list,
    hidden,
    hasRestricted = false,
    figures,
    chosen,
    choose,
    isEmpty,
    children,
  } = props;
  const { api, paths, columns, searched } = definition;
  const { texts, moreActions = [] } = list;
  const nameOf = (row: Listed) => list.nameOf(row) || row.id;
  const { asOf, addressOf } = useAsOf();
  const mayWrite = usePermission("fleet:write") && asOf === null;
  const mayRemove = usePermission("fleet:remove") && asOf === null;
  const mayReadPersonal = usePermission("personal:read");
  const navigate = useNavigate();
  const state = useListState();
  const bulk = useBulk({ definition, nameOf });
  const [deleting, setDeleting] = useState<Listed | null>(null);
  const emptyNow = mayWrite ? texts.emptyMessage : "Nobody has added one yet.";
  const emptyMessage = asOf === null ? emptyNow : "There were none at that moment.";
  const isRestricted = (row: Listed) => mayReadPersonal && row.hidden !== undefined && !row.isErased;
  const open = searched.filter(({ cell }) => !hidden.has(cell));
  const openSearch =
    open.length === searched.length
      ? undefined
      : `Search ${api.noun}s by ${open.map(({ label }) => label.toLowerCase()).join(", ")}...`;
  return (
    <>
      <StatCards figures={figures} chosen={chosen} onChoose={choose} />
      {(hidden.size > 0 || hasRestricted) && <HiddenRemark isOfMany />}
      {isEmpty ? (
        <EmptyState
          icon={list.icon}
          title={texts.empty}
          message={emptyMessage}
          action={mayWrite && list.emptyAddLabel && <LinkButton to={paths.add} text={list.emptyAddLabel} />}
        />
      ) : (
        children({
          name: `${api.noun}s`,
          label: `${capitalized(api.noun)}s`,
          columns,
          defaultSort: list.defaultSort,
          searchPlaceholder: openSearch ?? list.searchPlaceholder,
          bulk,
          rowName: nameOf,
          rowHref: ({ id }) => addressOf(viewPath(paths, id)),
          copy: list.copiesId ? texts.copyId : undefined,
          rowActions: (row) => [
            ...(mayWrite && !isRestricted(row)
              ? [
                  {
                    text: texts.edit,
                    icon: <Edit />,
                    isEdit: true,
                    onSelect: () => navigate(editPath(paths, row.id), { state }),
                  },
                  ...moreActions,
                ]
              : []),
            ...(mayRemove && !isRestricted(row)
              ? [
                  {
                    text: texts.delete,
                    icon: <Trash />,
                    destructive: true,
                    onSelect: () => setDeleting(row),
                  },
                ]
              : []),
          ],
        })
      )}
      <DeleteRecordDialog
        api={api}
        texts={texts}
        record={deleting && { id: deleting.id, name: nameOf(deleting) }}
        onClose={() => setDeleting(null)}
      />
    </>
  );
}

/** What the list can be narrowed by, of what this reader may see. */
export function useOpenFilters({ filters }: RecordDefinition, hidden: HiddenNames) {
  return useMemo(() => filters.filter(({ id }) => !hidden.has(id)), [filters, hidden]);
}
