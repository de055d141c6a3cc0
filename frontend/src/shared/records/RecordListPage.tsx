import { Edit, Plus, Trash } from "@blueprintjs/icons";
import { useMemo, useState } from "react";
import { useNavigate } from "react-router";
import { useAsOf } from "@/shared/asOf";
import { capitalized } from "@/shared/format/capitalized";
import { DataTable, useListState } from "@/shared/table";
import { useFailureToast } from "@/shared/toast";
import { EmptyState, LinkButton, Loaded, PageHeader, StatCards } from "@/shared/ui";
import { DeleteRecordDialog } from "./DeleteRecordDialog";
import type { Identified, RecordDefinition, RecordList } from "./definition";
import { editPath, viewPath } from "./paths";
import { useRecordList } from "./useRecords";

interface RecordListPageProps {
  definition: RecordDefinition;
}

/** All records of a kind: figures, search, table, and what can be done with each. */
export function RecordListPage({ definition }: RecordListPageProps) {
  const { api, paths, list } = definition;
  const records = useRecordList(api);
  const { asOf, addressOf } = useAsOf();
  const state = useListState();
  useFailureToast(records.error !== undefined, "Error", list?.texts.failedToast ?? "");
  if (list === undefined) return null;
  const { title, subtitle, addLabel } = list;
  return (
    <>
      <PageHeader
        title={title}
        subtitle={subtitle}
        back={{ to: addressOf("/management"), label: "Back to Management" }}
        actions={
          asOf === null && (
            <LinkButton to={paths.add} state={state} intent="primary" icon={<Plus />} text={addLabel} />
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
  list: RecordList<Identified>;
  rows: readonly Identified[];
}

function LoadedList({ definition, list, rows }: LoadedListProps) {
  const { api, paths, columns, searchFields } = definition;
  const { texts, nameOf, figuresOf, moreActions = [] } = list;
  const { asOf, addressOf } = useAsOf();
  const navigate = useNavigate();
  const state = useListState();
  const [deleting, setDeleting] = useState<Identified | null>(null);
  // They may count thousands of rows.
  const figures = useMemo(() => figuresOf(rows), [figuresOf, rows]);
  return (
    <>
      <StatCards figures={figures} />
      {rows.length === 0 ? (
        <EmptyState
          icon={list.icon}
          title={texts.empty}
          message={asOf === null ? texts.emptyMessage : "There were none at that moment."}
          action={
            asOf === null && list.emptyAddLabel && <LinkButton to={paths.add} text={list.emptyAddLabel} />
          }
        />
      ) : (
        <DataTable
          name={`${api.noun}s`}
          label={`${capitalized(api.noun)}s`}
          rows={rows}
          columns={columns}
          defaultSort={list.defaultSort}
          searchPlaceholder={list.searchPlaceholder}
          searchFields={searchFields}
          rowName={nameOf}
          rowHref={({ id }) => addressOf(viewPath(paths, id))}
          copy={list.copiesId ? texts.copyId : undefined}
          rowActions={(row) =>
            asOf === null
              ? [
                  {
                    text: texts.edit,
                    icon: <Edit />,
                    onSelect: () => navigate(editPath(paths, row.id), { state }),
                  },
                  ...moreActions,
                  {
                    text: texts.delete,
                    icon: <Trash />,
                    destructive: true,
                    onSelect: () => setDeleting(row),
                  },
                ]
              : []
          }
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
