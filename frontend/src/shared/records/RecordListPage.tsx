import { Edit, Import, Plus, Trash } from "@blueprintjs/icons";
import { useMemo, useState } from "react";
import { useNavigate } from "react-router";
import { useScreenActions } from "@/shared/actions";
import { useAsOf } from "@/shared/asOf";
import { Needs } from "@/shared/auth/Needs";
import { usePermission } from "@/shared/auth/permissions";
import { NOTHING_HIDDEN } from "@/shared/form";
import { capitalized } from "@/shared/format/capitalized";
import { DataTable, useListState } from "@/shared/table";
import { useNarrowing } from "@/shared/table/filters/useNarrowing";
import { useFailureToast } from "@/shared/toast";
import { EmptyState, HiddenRemark, LinkButton, Loaded, PageHeader, StatCards } from "@/shared/ui";
import { DeleteRecordDialog } from "./DeleteRecordDialog";
import type { Listed, RecordDefinition, RecordList } from "./definition";
import { useFigures } from "./figures";
import { editPath, viewPath } from "./paths";
import { useRecordList } from "./useRecords";

interface RecordListPageProps {
  definition: RecordDefinition;
}

/** All records of a kind: figures, search, table, and what can be done with each. */
export function RecordListPage({ definition }: RecordListPageProps) {
  const { addressOf } = useAsOf();
  return (
    <Needs
      permissions={["fleet:read"]}
      to={`see ${definition.api.noun}s`}
      back={<LinkButton to={addressOf("/management")} text="Back to Management" />}
    >
      <PermittedList definition={definition} />
    </Needs>
  );
}

function PermittedList({ definition }: RecordListPageProps) {
  const { api, paths, list } = definition;
  const mayAdd = usePermission("fleet:write");
  const records = useRecordList(api);
  const { asOf, addressOf } = useAsOf();
  const state = useListState();
  useFailureToast(records.error, "Error", list?.texts.failedToast ?? "");
  const canAdd = list !== undefined && mayAdd && asOf === null;
  useScreenActions(canAdd ? [{ text: list.addLabel, icon: <Plus />, to: paths.add }] : []);
  if (list === undefined) return null;
  const { title, subtitle, addLabel } = list;
  return (
    <>
      <PageHeader
        title={title}
        subtitle={subtitle}
        back={{ to: addressOf("/management"), label: "Back to Management" }}
        actions={
          canAdd && (
            <>
              <LinkButton to={paths.import} state={state} icon={<Import />} text="Import" />
              <LinkButton to={paths.add} state={state} intent="primary" icon={<Plus />} text={addLabel} />
            </>
          )
        }
      />
      <Loaded query={records} what={`${api.noun}s`}>
        {(rows) => <LoadedList definition={definition} list={list} rows={rows} />}
      </Loaded>
    </>
  );
}

interface LoadedListProps extends RecordListPageProps {
  list: RecordList<Listed>;
  rows: readonly Listed[];
}

function LoadedList({ definition, list, rows }: LoadedListProps) {
  const { api, paths, columns, filters, searchFields, searched } = definition;
  const { texts, moreActions = [] } = list;
  const nameOf = (row: Listed) => list.nameOf(row) || row.id;
  const { asOf, addressOf } = useAsOf();
  const mayWrite = usePermission("fleet:write") && asOf === null;
  const mayRemove = usePermission("fleet:remove") && asOf === null;
  const navigate = useNavigate();
  const state = useListState();
  const [deleting, setDeleting] = useState<Listed | null>(null);
  const emptyNow = mayWrite ? texts.emptyMessage : "Nobody has added one yet.";
  const emptyMessage = asOf === null ? emptyNow : "There were none at that moment.";
  // Of all for whoever may see none; otherwise of those that are restricted.
  const mayReadPersonal = usePermission("personal:read");
  const isRestricted = (row: Listed) => mayReadPersonal && row.hidden !== undefined && !row.isErased;
  const hidden = useMemo(
    () => (mayReadPersonal ? undefined : rows.find((row) => row.hidden)?.hidden) ?? NOTHING_HIDDEN,
    [rows, mayReadPersonal],
  );
  const { figures, passes } = useFigures(list.figures, rows, hidden);
  const specs = useMemo(() => filters.filter(({ id }) => !hidden.has(id)), [filters, hidden]);
  const { chosen, choose, table } = useNarrowing({
    what: `${api.noun}s`,
    rows,
    figures,
    passes,
    specs,
  });
  const open = searched.filter(({ cell }) => !hidden.has(cell));
  const openSearch =
    open.length === searched.length
      ? undefined
      : `Search ${api.noun}s by ${open.map(({ label }) => label.toLowerCase()).join(", ")}...`;
  return (
    <>
      <StatCards figures={figures} chosen={chosen} onChoose={choose} />
      {(hidden.size > 0 || rows.some(isRestricted)) && <HiddenRemark isOfMany />}
      {rows.length === 0 ? (
        <EmptyState
          icon={list.icon}
          title={texts.empty}
          message={emptyMessage}
          action={mayWrite && list.emptyAddLabel && <LinkButton to={paths.add} text={list.emptyAddLabel} />}
        />
      ) : (
        <DataTable
          name={`${api.noun}s`}
          label={`${capitalized(api.noun)}s`}
          {...table}
          columns={columns}
          defaultSort={list.defaultSort}
          searchPlaceholder={openSearch ?? list.searchPlaceholder}
          searchFields={searchFields}
          rowName={nameOf}
          rowHref={({ id }) => addressOf(viewPath(paths, id))}
          copy={list.copiesId ? texts.copyId : undefined}
          rowActions={(row) => [
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
          ]}
        />
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
