import { Clipboard, Edit, EyeOpen, Plus, Trash } from "@blueprintjs/icons";
import { type ComponentType, type ReactNode, useState } from "react";
import { useNavigate } from "react-router";
import { useAsOf } from "@/shared/asOf";
import { DataTable, type RowAction, type Sort, useListState, useTableView } from "@/shared/table";
import { useFailureToast } from "@/shared/toast";
import { EmptyState, ErrorState, LinkButton, LoadingState, PageHeader } from "@/shared/ui";
import { DeleteRecordDialog } from "./DeleteRecordDialog";
import type { FormValues, Identified, RecordDefinition } from "./definition";
import { editPath, viewPath } from "./paths";
import type { ListTexts } from "./texts";
import { useCopyId } from "./useCopyId";
import { useRecordList } from "./useRecords";

export interface RecordListProps<Row extends Identified> {
  definition: RecordDefinition<Identified, FormValues, Row>;
  texts: ListTexts;
  /** The table's accessible name, e.g. `Drivers`. */
  label: string;
  defaultSort: Sort;
  searchPlaceholder: string;
  /** What people call a record, in its menu's label and in the question before it is deleted. */
  nameOf: (row: Row) => string;
  /** The figures above the table; memoized, because they may count thousands of rows. */
  Cards: ComponentType<{ rows: readonly Row[] }>;
  icon: ReactNode;
  /** Where the empty list has a button of its own: its label. */
  emptyAddLabel?: string;
  /** Adds an item to each row's menu that copies the record's id. */
  copyId?: { label: string; done: string };
  /** Items of this list alone, between Edit and Delete. */
  moreActions?: readonly RowAction[];
}

interface RecordListPageProps<Row extends Identified> extends RecordListProps<Row> {
  title: string;
  subtitle?: string;
  addLabel: string;
}

/** All records of a kind: figures, search, table, and what can be done with each. */
export function RecordListPage<Row extends Identified>(props: RecordListPageProps<Row>) {
  const { title, subtitle, addLabel, definition, texts } = props;
  const { api, paths } = definition;
  const { rows, error } = useRecordList(api);
  const { asOf, addressOf } = useAsOf();
  const listState = useListState();
  useFailureToast(error !== undefined, "Error", texts.failedToast);

  return (
    <>
      <PageHeader
        title={title}
        subtitle={subtitle}
        back={{ to: addressOf("/management"), label: "Back to Management" }}
        actions={
          asOf === null && (
            <LinkButton to={paths.add} state={listState} intent="primary" icon={<Plus />} text={addLabel} />
          )
        }
      />
      {rows !== undefined ? (
        <LoadedList {...props} rows={rows} />
      ) : error !== undefined ? (
        <ErrorState title={texts.failed} onRetry={() => window.location.reload()} />
      ) : (
        <LoadingState label={texts.loading} />
      )}
    </>
  );
}

function LoadedList<Row extends Identified>(props: RecordListProps<Row> & { rows: readonly Row[] }) {
  const { rows, definition, texts, label, defaultSort, nameOf, icon, Cards } = props;
  const { api, paths, columns, searchFields } = definition;
  const view = useTableView({ name: label.toLowerCase(), columns, defaultSort });
  const { asOf, addressOf } = useAsOf();
  const [deleting, setDeleting] = useState<Row | null>(null);
  const rowActions = useRowActions(props, setDeleting);

  return (
    <>
      <Cards rows={rows} />
      {rows.length === 0 ? (
        <EmptyState
          icon={icon}
          title={texts.empty}
          message={asOf === null ? texts.emptyMessage : "There were none at that moment."}
          action={
            asOf === null && props.emptyAddLabel && <LinkButton to={paths.add} text={props.emptyAddLabel} />
          }
        />
      ) : (
        <DataTable
          label={label}
          rows={rows}
          columns={columns}
          view={view}
          searchPlaceholder={props.searchPlaceholder}
          searchFields={searchFields}
          rowId={({ id }) => id}
          rowName={nameOf}
          rowHref={({ id }) => addressOf(viewPath(paths, id))}
          rowActions={rowActions}
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

function useRowActions<Row extends Identified>(
  { definition: { paths }, texts, copyId, moreActions = [] }: RecordListProps<Row>,
  askToDelete: (row: Row) => void,
): (row: Row) => readonly RowAction[] {
  const navigate = useNavigate();
  const { asOf, addressOf } = useAsOf();
  const state = useListState();
  const copy = useCopyId();

  return (row) => {
    const { id } = row;
    const view = () => navigate(addressOf(viewPath(paths, id)), { state });
    const reading = [
      ...(copyId ? [{ text: copyId.label, icon: <Clipboard />, onSelect: () => copy(id, copyId.done) }] : []),
      { text: "View Details", icon: <EyeOpen />, onSelect: view },
    ];
    if (asOf !== null) return reading;
    return [
      ...reading,
      { text: texts.edit, icon: <Edit />, onSelect: () => navigate(editPath(paths, id), { state }) },
      ...moreActions,
      { text: texts.delete, icon: <Trash />, destructive: true, onSelect: () => askToDelete(row) },
    ];
  };
}
