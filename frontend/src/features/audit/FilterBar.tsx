import { Button } from "@blueprintjs/core";
import { Filter, Search } from "@blueprintjs/icons";
import { useId, useState } from "react";
import { usePermission } from "@/shared/auth/permissions";
import { FilterChoice } from "@/shared/form/FilterChoice";
import { CHANGE_KINDS } from "@/shared/history";
import { FilterText } from "./FilterText";
import { FILTER_LABELS, type FilterName } from "./filters";
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

/** The API's measure. */
const MAX_TEXT = 200;

/** What narrows the trail; on a narrow screen behind a button. */
export function FilterBar({ filters: { values, active, set }, kinds, people, refusals }: FilterBarProps) {
  const [isOpen, setOpen] = useState(false);
  const seesPersonal = usePermission("personal:read");
  const fieldsId = useId();
  const peopleId = useId();
  const chosen = kinds.filter(({ entity }) => values.entity === "" || entity === values.entity);
  const [whole = "", part] = values.field.split(".");

  const filter = (name: FilterName) => ({
    label: FILTER_LABELS[name],
    value: values[name],
    error: refusals.get(name),
    onChange: (value: string) => set({ [name]: value }),
  });
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
          {...filter("q")}
          type="search"
          leftIcon={<Search />}
          placeholder={seesPersonal ? "Name, person, value, reason" : "Name, subject, value"}
          maxLength={MAX_TEXT}
        />
        <FilterChoice
          {...filter("entity")}
          choices={kinds.map(({ entity, title }) => ({ value: entity, label: title }))}
          onChange={(entity) => set({ entity, ...fitting(entity) })}
        />
        <FilterText {...filter("id")} />
        <FilterText
          {...filter("actor")}
          placeholder={seesPersonal ? "Name or subject" : "Subject"}
          list={peopleId}
          maxLength={MAX_TEXT}
          onChange={(actor) => set({ actor: subjectOf(people, actor) })}
        />
        <datalist id={peopleId}>
          {[...people].map(([sub, name]) => (
            <option key={sub} value={sub} label={name}>
              {name}
            </option>
          ))}
        </datalist>
        <FilterChoice
          {...filter("type")}
          choices={CHANGE_KINDS.map((type) => ({ value: type, label: typeTitle(type) }))}
        />
        <FilterChoice
          {...filter("field")}
          choices={fieldChoices(chosen).map(({ name, label }) => ({ value: name, label }))}
          hint={
            part !== undefined &&
            `The log keeps it in “${whole}”: changes of the rest of that are listed too.`
          }
        />
        <FilterText
          {...filter("from")}
          type="datetime-local"
          max={LAST_MINUTE}
          value={localStart(values.from)}
          onChange={(from) => set({ from: startOf(from) })}
        />
        <FilterText
          {...filter("to")}
          label={`${FILTER_LABELS.to} (inclusive)`}
          type="datetime-local"
          max={LAST_MINUTE}
          value={localEnd(values.to)}
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

const LAST_MINUTE = "9999-12-31T23:59";
