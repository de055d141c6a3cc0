import { useEffect, useState } from "react";
import { apiClient } from "@/shared/api/client";
import { comparedValues, findSimilar, scoreText } from "@/shared/duplicates/duplicates";
import { LabelledField } from "@/shared/form/LabelledField";
import { SearchableSelect, type SelectOption } from "@/shared/form/SearchableSelect";
import { useSettledText } from "@/shared/table/useSettledText";
import { loadedFrom, type RecordDefinition, recordPath } from "../definition";
import type { ListAnswer } from "../useRecords";

/** Milliseconds of a pause in typing: the server logs each result as seen. */
const PAUSE = 300;
const SHORTEST = 2;
const MOST = 20;

interface OtherRecordProps {
  definition: RecordDefinition;
  id: string;
  onChoose: (id: string) => void;
}

/** Asks for the record to merge with: those that are similar, or those that a search finds. */
export function OtherRecord({ definition, id, onChoose }: OtherRecordProps) {
  const { noun } = definition.api;
  const [query, setQuery] = useState("");
  const [typed, setTyped] = useSettledText(query, setQuery, PAUSE);
  const [options, setOptions] = useState<readonly SelectOption[]>([]);
  const [state, setState] = useState<"searching" | "found" | "failed">("searching");

  useEffect(() => {
    const abort = new AbortController();
    setState("searching");
    optionsFor(definition, id, query.trim(), abort.signal).then(
      (found) => {
        if (abort.signal.aborted) return;
        setOptions(found);
        setState("found");
      },
      () => {
        if (abort.signal.aborted) return;
        setOptions([]);
        setState("failed");
      },
    );
    return () => abort.abort();
  }, [definition, id, query]);

  const nothing =
    query.trim().length < SHORTEST ? `No similar ${noun}s. Type to search.` : `No ${noun}s found.`;
  return (
    <LabelledField label="Merge with" isRequired hint="The other record. Similar ones are offered first.">
      {(control) => (
        <SearchableSelect
          {...control}
          options={options}
          value=""
          placeholder={`Select a ${noun}...`}
          searchPlaceholder={`Search ${noun}s...`}
          emptyText={
            { searching: "Searching...", failed: "Failed to search. Please try again.", found: nothing }[
              typed === query ? state : "searching"
            ]
          }
          onSearch={setTyped}
          onChange={onChoose}
        />
      )}
    </LabelledField>
  );
}

async function optionsFor(
  definition: RecordDefinition,
  id: string,
  query: string,
  signal: AbortSignal,
): Promise<readonly SelectOption[]> {
  const { api, heading } = definition;
  if (query.length < SHORTEST) {
    const { values } = loadedFrom(api, await apiClient.get(recordPath(api, id), { signal }));
    const rows = [{ id, values: comparedValues(definition, values) }];
    const [similar = []] = await findSimilar(definition, rows, signal);
    return similar.map((one) => ({
      value: one.id,
      label: one.name || one.id,
      description: `${one.name ? `${one.id} · ` : ""}${scoreText(one)}`,
    }));
  }
  const asked = new URLSearchParams({ q: query, page: "0", size: String(MOST) });
  const { data } = await apiClient.get<ListAnswer>(`${api.path}?${asked}`, { signal });
  return data.content
    .filter((wire) => wire.id !== id)
    .map((wire) => ({
      value: wire.id,
      label: heading(api.toValues(wire), wire.id, api.hiddenIn(wire)).title || wire.id,
      description: wire.id,
    }));
}
