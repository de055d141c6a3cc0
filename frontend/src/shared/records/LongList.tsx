import { useMemo } from "react";
import { useSWRConfig } from "swr";
import { useApiQuery } from "@/shared/api/useApiQuery";
import { usePermission } from "@/shared/auth/permissions";
import { NOTHING_HIDDEN } from "@/shared/form";
import { useNarrowingTools } from "@/shared/table/filters/useNarrowing";
import { PagedTable } from "@/shared/table/paged/PagedTable";
import { type Asked, withQuery } from "@/shared/table/paged/pages";
import { useAskedFilters } from "@/shared/table/paged/useAskedFilters";
import { Loaded } from "@/shared/ui";
import type { Listed } from "./fields";
import { ListBody, type ListProps, useOpenFilters } from "./ListBody";
import { useAskedFigures } from "./useAskedFigures";
import { isListPath, type ListAnswer } from "./useRecords";

interface LongListProps extends ListProps {
  /** How many there are. */
  total: number;
}

const ONE: Asked = [
  ["page", "0"],
  ["size", "1"],
];
const NO_ROWS: readonly Listed[] = [];

/** A list that is too long to be at hand: its server searches, sorts, narrows and counts, and answers with pages. */
export function LongList(props: LongListProps) {
  const { api } = props.definition;
  // What is hidden from whoever may see none is not to be sorted or narrowed by: one row tells what that is.
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
  const { figures, narrowing, ...choice } = useAskedFigures(definition, list.figures, hidden, total);
  const filters = useAskedFilters(api.path, useOpenFilters(definition, hidden), narrowing);
  const tools = useNarrowingTools(`${api.noun}s`, choice, filters);
  const { narrowed } = filters;
  const paged = useMemo(() => ({ ...narrowed, toRow: api.toRow }), [api, narrowed]);
  return (
    <ListBody
      definition={definition}
      list={list}
      hidden={hidden}
      figures={figures}
      {...choice}
      isEmpty={total === 0}
    >
      {(props) => (
        <PagedTable
          {...props}
          {...tools}
          list={paged}
          sample={sample}
          failedText={`Failed to load ${api.noun}s: what is below may not be what you asked for.`}
          onRetry={() => mutate((key) => isListPath(api, key))}
        />
      )}
    </ListBody>
  );
}
