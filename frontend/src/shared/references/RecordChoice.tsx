import { useEffect, useState } from "react";
import { apiClient } from "@/shared/api/client";
import type { ControlProps } from "@/shared/form/LabelledField";
import { SearchableSelect, type SelectOption } from "@/shared/form/SearchableSelect";
import { useSettledText } from "@/shared/table/useSettledText";
import { KINDS, type ReferredNoun, useNameOf } from "./references";

/** Milliseconds of a pause in typing: the server logs each driver found as seen. */
const PAUSE = 300;
const SHORTEST = 2;
const MOST = 20;
const ID = /^(?=.*\d)[\w.-]{3,}$/;

interface RecordChoiceProps extends ControlProps {
  noun: ReferredNoun;
  /** Ids; of several records if `isMany`. */
  value: readonly string[];
  isMany?: boolean | undefined;
  onChange: (ids: readonly string[]) => void;
}

/** A choice of records, which are found by searching. An id that the search does not find can be entered. */
export function RecordChoice({ noun, value, isMany = false, onChange, ...control }: RecordChoiceProps) {
  const [query, setQuery] = useState("");
  const [typed, setTyped] = useSettledText(query, setQuery, PAUSE);
  const [isOpened, setOpened] = useState(false);
  const [found, setFound] = useState<readonly FoundRecord[]>();
  const [failed, setFailed] = useState(false);
  /** Names of the records chosen here. */
  const [known, setKnown] = useState<Readonly<Record<string, string>>>({});
  const nameOf = useNameOf();
  const asked = query.trim();
  const isTooShort = asked.length < SHORTEST && (noun === "driver" || asked !== "");

  useEffect(() => {
    setFound(undefined);
    setFailed(false);
    if (!isOpened || isTooShort) return;
    const abort = new AbortController();
    searchRecords(noun, asked, abort.signal).then(setFound, () => setFailed(!abort.signal.aborted));
    return () => abort.abort();
  }, [noun, asked, isOpened, isTooShort]);

  const optionOf = ({ id, name }: FoundRecord): SelectOption => ({
    value: id,
    label: name,
    description: name === id ? undefined : id,
  });
  const chosen = value.map((id) => ({ id, name: known[id] ?? nameOf(noun, id) }));
  const isCurrent = typed.trim() === asked;
  const results = isCurrent ? (found ?? []) : [];
  const isUnknownId =
    isCurrent && found !== undefined && ID.test(asked) && !results.some(({ id }) => id === asked);
  const options: readonly SelectOption[] = [
    ...(asked === "" && isCurrent ? chosen.map(optionOf) : []),
    ...results.filter(({ id }) => asked !== "" || !value.includes(id)).map(optionOf),
    ...(isUnknownId ? [{ value: asked, label: asked, description: `The ${noun} with this ID` }] : []),
    ...(!isMany && control["aria-required"] !== true && value.length > 0 && asked === ""
      ? [{ value: "", label: `No ${noun}` }]
      : []),
  ];
  const choose = (id: string) => {
    const name = options.find((one) => one.value === id)?.label;
    if (name !== undefined) setKnown({ ...known, [id]: name });
    if (!isMany) onChange(id === "" ? [] : [id]);
    else onChange(value.includes(id) ? value.filter((one) => one !== id) : [...value, id]);
  };
  const noResults = isTooShort ? "Type at least 2 characters." : `No ${noun}s found.`;
  const pending = isCurrent && (isTooShort || found !== undefined) ? noResults : "Searching...";
  return (
    <SearchableSelect
      {...control}
      options={options}
      value={isMany ? value : (value[0] ?? "")}
      chosenText={chosen.map(({ name }) => name).join(", ")}
      placeholder={isMany ? `Select ${noun}s...` : `Select a ${noun}...`}
      searchPlaceholder={`Search ${noun}s...`}
      emptyText={failed ? "Failed to search. Please try again." : pending}
      onSearch={(text) => {
        setOpened(true);
        setTyped(text);
      }}
      onChange={choose}
    />
  );
}

interface FoundRecord {
  id: string;
  /** Its id if it has no name, or a masked one. */
  name: string;
}

/**
 * Search the records of a kind.
 * @param query empty for the first ones.
 */
async function searchRecords(
  noun: ReferredNoun,
  query: string,
  signal: AbortSignal,
): Promise<readonly FoundRecord[]> {
  const { path, nameIn: field } = KINDS[noun];
  const asked = new URLSearchParams({ page: "0", size: String(MOST), ...(query !== "" && { q: query }) });
  const { data } = await apiClient.get<{ content: readonly ({ id: string } & Record<string, unknown>)[] }>(
    `${path}?${asked}`,
    { signal },
  );
  return data.content.map((wire) => ({ id: wire.id, name: String(wire[field] || wire.id) }));
}
