import { Button, HTMLSelect } from "@blueprintjs/core";
import { Filter, Search } from "@blueprintjs/icons";
import { useId, useState } from "react";
import { FilterField, FilterText } from "./FilterField";
import { FILTER_LABELS } from "./filters";
import styles from "./filters.module.css";
import { type AuditedKind, fieldChoices, typeTitle } from "./kinds";
import { endOf, localEnd, localStart, startOf } from "./localTimes";
import type { UsedFilters } from "./useAuditFilters";
import { type People, subjectOf } from "./usePeople";

interface FilterBarProps {
  filters: UsedFilters;
  kinds: readonly AuditedKind[];
  people: People;
  /** What is wrong with filters, by their names. */
  refusals: ReadonlyMap<string, string>;
}

const TYPES = ["registered", "details_changed", "removed"] as const;
/** The API's measure. */
const MAX_TEXT = 200;

/** What narrows the trail; on a narrow screen behind a button. */
export function FilterBar({ filters: { values, active, set }, kinds, people, refusals }: FilterBarProps) {
  const [isOpen, setOpen] = useState(false);
  const fieldsId = useId();
  const peopleId = useId();
  const chosen = kinds.filter(({ entity }) => values.entity === "" || entity === values.entity);
  const fields = fieldChoices(chosen);
  const [whole = "", part] = values.field.split(".");

  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset's legend cannot be laid out in a grid
    <div role="group" aria-label="Filters">
      <Button
        className={styles.toggle}
        icon={<Filter />}
        text={active.length > 0 ? `Filters (${active.length})` : "Filters"}
        aria-expanded={isOpen}
        aria-controls={fieldsId}
        onClick={() => setOpen(!isOpen)}
      />
      <div id={fieldsId} className={styles.fields} data-open={isOpen || refusals.size > 0 || undefined}>
        <FilterText
          label={FILTER_LABELS.q}
          type="search"
          leftIcon={<Search />}
          placeholder="Person, value, reason, request"
          maxLength={MAX_TEXT}
          value={values.q}
          refusal={refusals.get("q")}
          onChange={(q) => set({ q })}
        />
        <FilterField label={FILTER_LABELS.entity} refusal={refusals.get("entity")}>
          {(field) => (
            <HTMLSelect
              {...field}
              fill
              value={values.entity}
              onChange={({ currentTarget }) =>
                set({ entity: currentTarget.value, ...fitting(currentTarget.value) })
              }
              options={withUnknown(
                [ALL, ...kinds.map(({ entity, title }) => ({ value: entity, label: title }))],
                values.entity,
              )}
            />
          )}
        </FilterField>
        <FilterText
          label={FILTER_LABELS.id}
          value={values.id}
          refusal={refusals.get("id")}
          onChange={(id) => set({ id })}
        />
        <FilterText
          label={FILTER_LABELS.actor}
          placeholder="Name or subject"
          list={peopleId}
          maxLength={MAX_TEXT}
          value={values.actor}
          refusal={refusals.get("actor")}
          onChange={(actor) => set({ actor: subjectOf(people, actor) })}
        />
        <datalist id={peopleId}>
          {[...people].map(([sub, name]) => (
            <option key={sub} value={sub} label={name}>
              {name}
            </option>
          ))}
        </datalist>
        <FilterField label={FILTER_LABELS.type} refusal={refusals.get("type")}>
          {(field) => (
            <HTMLSelect
              {...field}
              fill
              value={values.type}
              onChange={({ currentTarget }) => set({ type: currentTarget.value })}
              options={withUnknown(
                [ALL, ...TYPES.map((type) => ({ value: type, label: typeTitle(type) }))],
                values.type,
              )}
            />
          )}
        </FilterField>
        <FilterField
          label={FILTER_LABELS.field}
          refusal={refusals.get("field")}
          note={
            part === undefined
              ? undefined
              : `The log keeps it in “${whole}”: changes of the rest of that are listed too.`
          }
        >
          {(field) => (
            <HTMLSelect
              {...field}
              fill
              value={values.field}
              onChange={({ currentTarget }) => set({ field: currentTarget.value })}
              options={withUnknown(
                [ALL, ...fields.map(({ name, label }) => ({ value: name, label }))],
                values.field,
              )}
            />
          )}
        </FilterField>
        <FilterText
          label={FILTER_LABELS.from}
          type="datetime-local"
          max={LAST_MINUTE}
          value={localStart(values.from)}
          refusal={refusals.get("from")}
          onChange={(from) => set({ from: startOf(from) })}
        />
        <FilterText
          label={`${FILTER_LABELS.to} (inclusive)`}
          type="datetime-local"
          max={LAST_MINUTE}
          value={localEnd(values.to)}
          refusal={refusals.get("to")}
          onChange={(to) => set({ to: endOf(to) })}
        />
      </div>
    </div>
  );

  /** Another kind may not have the field that was looked for. */
  function fitting(entity: string) {
    const others = kinds.filter((kind) => entity === "" || kind.entity === entity);
    const isThere = others.some(({ labels }) => labels.has(values.field));
    return isThere ? {} : { field: "" };
  }
}

const ALL = { value: "", label: "All" };
const LAST_MINUTE = "9999-12-31T23:59";

/** What an address asks for is shown, also where there is no such thing. */
function withUnknown(options: readonly { value: string; label: string }[], value: string) {
  return options.some((option) => option.value === value) ? options : [...options, { value, label: value }];
}
