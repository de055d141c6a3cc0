import { Edit, Import, Plus, Trash } from "@blueprintjs/icons";
import { type ReactNode, useCallback, useMemo, useState } from "react";
import { useNavigate } from "react-router";
import { useSWRConfig } from "swr";
import { useScreenActions } from "@/shared/actions";
import { apiClient } from "@/shared/api/client";
import { useApiQuery } from "@/shared/api/useApiQuery";
import { useAsOf } from "@/shared/asOf";
import { Needs } from "@/shared/auth/Needs";
import { permissionTo, usePermission } from "@/shared/auth/permissions";
import { type HiddenNames, NOTHING_HIDDEN } from "@/shared/form";
import { capitalized } from "@/shared/format/capitalized";
import { DataTable, useListState } from "@/shared/table";
import { useServerFilters } from "@/shared/table/filters/useFilters";
import { useNarrowing, useNarrowingTools } from "@/shared/table/filters/useNarrowing";
import { PagedTable } from "@/shared/table/paged/PagedTable";
import { type QueryParams, withQuery } from "@/shared/table/paged/pages";
import type { TableProps } from "@/shared/table/ShownTable";
import { useFailureToast } from "@/shared/toast";
import {
  EmptyState,
  type Figure,
  HiddenRemark,
  LinkButton,
  Loaded,
  PageHeader,
  StatCards,
} from "@/shared/ui";
import { useBulk } from "./bulk/useBulk";
import { DeleteRecordDialog } from "./DeleteRecordDialog";
import {
  type Identified,
  type KindProps,
  type Listed,
  type RecordDefinition,
  type RecordList,
  recordPath,
} from "./definition";
import { useFigures, useServerFigures } from "./figures";
import { editPath, viewPath } from "./paths";
import { isListPath, type ListAnswer, useNamedRow, useSizedList } from "./useRecords";

/** A kind's list: figures, search, table and actions. */
export function RecordListPage({ definition }: KindProps) {
  const { addressOf } = useAsOf();
  const { Names } = definition;
  const list = <PermittedList definition={definition} />;
  return (
    <Needs
      permissions={[permissionTo("read", definition.api)]}
      to={`see ${definition.api.noun}s`}
      back={<LinkButton to={addressOf("/management")} text="Back to Management" />}
    >
      {Names ? <Names>{list}</Names> : list}
    </Needs>
  );
}

function PermittedList({ definition }: KindProps) {
  const { api, paths, list } = definition;
  const mayAdd = usePermission(permissionTo("write", api));
  const records = useSizedList(api);
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
              {paths.import && <LinkButton to={paths.import} state={state} icon={<Import />} text="Import" />}
              <LinkButton to={paths.add} state={state} intent="primary" icon={<Plus />} text={addLabel} />
            </>
          )
        }
      />
      <Loaded query={records} what={`${api.noun}s`}>
        {(sized) =>
          "rows" in sized ? (
            <WholeList definition={definition} list={list} rows={sized.rows} />
          ) : (
            <LongList definition={definition} list={list} total={sized.total} />
          )
        }
      </Loaded>
    </>
  );
}

/** A list that is loaded completely. */
function WholeList({ definition, list, rows: loaded }: ListProps & { rows: readonly Listed[] }) {
  const { api, searchFields } = definition;
  const shown = useShownRow(list);
  const rows = useMemo(() => loaded.map(shown), [loaded, shown]);
  // Without the permission, masked for every row; otherwise only restricted rows are masked.
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
      {...{ definition, list, hidden, figures, chosen, choose }}
      loaded={rows}
      isEmpty={rows.length === 0}
    >
      {(props) => <DataTable {...props} {...table} searchFields={searchFields} />}
    </ListBody>
  );
}

interface LongListProps extends ListProps {
  total: number;
}

const ONE: QueryParams = [
  ["page", "0"],
  ["size", "1"],
];
const NO_ROWS: readonly Listed[] = [];

/** A list that is too long to load: the server searches, sorts, filters, counts and pages it. */
function LongList(props: LongListProps) {
  const { api } = props.definition;
  // Masked columns cannot be sorted or filtered: one row shows which these are.
  const isMasked = !usePermission("personal:read");
  const { data, error } = useApiQuery<ListAnswer>(isMasked ? withQuery(api.path, ONE) : null);
  const sample = useMemo(() => data?.content.map((wire) => api.toRow(wire)), [data, api]);
  return (
    <Loaded query={{ data: isMasked ? sample : NO_ROWS, error }} what={`${api.noun}s`}>
      {(rows) => <PagedList {...props} sample={rows} />}
    </Loaded>
  );
}

function PagedList({ definition, list, total, sample }: LongListProps & { sample: readonly Listed[] }) {
  const { api } = definition;
  const { mutate } = useSWRConfig();
  const hidden = sample[0]?.hidden ?? NOTHING_HIDDEN;
  const { figures, narrowing, ...choice } = useServerFigures(definition, list.figures, hidden, total);
  const filters = useServerFilters(api.path, useOpenFilters(definition, hidden), narrowing);
  const shown = useShownRow(list);
  const tools = useNarrowingTools(`${api.noun}s`, choice, filters);
  const { narrowed } = filters;
  const paged = useMemo(() => {
    const toRow = (wire: Identified) => shown(api.toRow(wire));
    const read = async (id: string) => toRow(api.unwrap((await apiClient.get(recordPath(api, id))).data));
    return { ...narrowed, toRow, read };
  }, [api, narrowed, shown]);
  return (
    <ListBody {...{ definition, list, hidden, figures, ...choice }} isEmpty={total === 0}>
      {(props) => (
        <PagedTable
          {...props}
          {...tools}
          list={paged}
          sample={sample}
          failedText={`Failed to load ${api.noun}s: the rows below may be outdated.`}
          onRetry={() => mutate((key) => isListPath(api, key))}
        />
      )}
    </ListBody>
  );
}

interface ListProps {
  definition: RecordDefinition;
  list: RecordList<Listed>;
}

interface ListBodyProps extends ListProps {
  /** Cells masked for this reader. */
  hidden: HiddenNames;
  /** All rows, if they are loaded. */
  loaded?: readonly Listed[];
  figures: readonly Figure[];
  /** The chosen figure's filter. */
  chosen: string | null;
  choose: (filter: string | null) => void;
  isEmpty: boolean;
  children: (table: TableProps<Listed>) => ReactNode;
}

/** The content of a list screen, for loaded and paged rows. */
function ListBody(props: ListBodyProps) {
  const { definition, list, hidden, loaded = NO_ROWS, figures, chosen, choose, isEmpty, children } = props;
  const { api, paths, columns, searched } = definition;
  const { texts, moreActions = [] } = list;
  const nameOf = (row: Listed) => list.nameOf(row) || row.id;
  const { asOf, addressOf } = useAsOf();
  const mayWrite = usePermission(permissionTo("write", api)) && asOf === null;
  const mayRemove = usePermission(permissionTo("remove", api)) && asOf === null;
  const mayReadPersonal = usePermission("personal:read");
  const navigate = useNavigate();
  const state = useListState();
  const bulk = useBulk(definition, nameOf);
  const named = useNamedRow(api);
  const [deleting, setDeleting] = useState<Listed | null>(null);
  const emptyNow = mayWrite ? texts.emptyMessage : `No ${api.noun}s have been added yet.`;
  const emptyMessage = asOf === null ? emptyNow : `There were no ${api.noun}s at that moment.`;
  const isRestricted = (row: Listed) => mayReadPersonal && row.hidden !== undefined && !row.isErased;
  const open = searched.filter(({ cell }) => !hidden.has(cell));
  const openSearch =
    open.length === searched.length
      ? undefined
      : `Search ${api.noun}s by ${open.map(({ label }) => label.toLowerCase()).join(", ")}...`;
  return (
    <>
      <StatCards figures={figures} chosen={chosen} onChoose={choose} />
      {(hidden.size > 0 || loaded.some(isRestricted)) && <HiddenRemark isOfMany />}
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
          named,
          asOf,
          rowName: nameOf,
          rowHref: ({ id }) => addressOf(viewPath(paths, id)),
          copy: list.copiesId ? texts.copyId : undefined,
          rowActions: (row) => {
            if (isRestricted(row)) return [];
            const edit = () => navigate(editPath(paths, row.id), { state });
            const remove = () => setDeleting(row);
            return [
              ...(mayWrite ? [{ text: texts.edit, icon: <Edit />, isEdit: true, onSelect: edit }] : []),
              ...(mayWrite ? moreActions : []),
              ...(mayRemove
                ? [{ text: texts.delete, icon: <Trash />, destructive: true, onSelect: remove }]
                : []),
            ];
          },
        })
      )}
      <DeleteRecordDialog
        definition={definition}
        list={list}
        row={deleting}
        onClose={() => setDeleting(null)}
      />
    </>
  );
}

const noCells = () => undefined;
const useNoCells = () => noCells;

/** Return a function that adds the cells of a row that other records determine. */
function useShownRow({ useCells = useNoCells }: RecordList<Listed>) {
  const cellsOf = useCells();
  return useCallback(
    (row: Listed): Listed => {
      const cells = cellsOf(row.id);
      return cells ? { ...row, ...cells } : row;
    },
    [cellsOf],
  );
}

/** Return the filters whose values are not masked. */
function useOpenFilters({ filters }: RecordDefinition, hidden: HiddenNames) {
  return useMemo(() => filters.filter(({ id }) => !hidden.has(id)), [filters, hidden]);
}
