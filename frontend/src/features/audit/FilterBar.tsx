import { Button, ButtonGroup } from "@blueprintjs/core";
import { Filter, Search } from "@blueprintjs/icons";
import { type ComponentProps, useId, useState } from "react";
import { toLocal } from "@/shared/asOf/asOf";
import { useAsOf } from "@/shared/asOf/useAsOf";
import { usePermission } from "@/shared/auth/permissions";
import { DateField } from "@/shared/form/DateField";
import { FilterChoice } from "@/shared/form/FilterChoice";
import { TextField } from "@/shared/form/TextField";
import { formatMoment } from "@/shared/format/MomentText";
import { CHANGE_KINDS } from "@/shared/history";
import type { RecordDefinition } from "@/shared/records";
import { useSettledText } from "@/shared/table/useSettledText";
import { ActiveFilters } from "@/shared/ui/ActiveFilters";
import {
  type AuditFilters,
  FILTER_LABELS,
  type FilterName,
  type People,
  subjectOf,
  type UsedFilters,
} from "./filters";
import styles from "./filters.module.css";
import { fieldChoices, kindTitle, typeTitle } from "./kinds";
import { endOf, localEnd, localStart, startOf } from "./localTimes";
import { focusResults } from "./newestFirst";

interface FilterBarProps {
  filters: UsedFilters;
  kinds: readonly RecordDefinition[];
  people: People;
  /** Error texts by filter. */
  refusals: ReadonlyMap<string, string>;
}

const MAKERS = [
  ["person", "People only"],
  ["program", "Programs only"],
] as const;

/** The API's limit. */
const MAX_TEXT = 200;

/** The filters of the trail; on narrow screens behind a button, with the downloads that follow. */
export function FilterBar({ filters: { values, active, set }, kinds, people, refusals }: FilterBarProps) {
  const [isOpen, setOpen] = useState(false);
  const seesPersonal = usePermission("personal:read");
  const fieldsId = useId();
  const peopleId = useId();
  const chosen = kinds.filter(({ api }) => values.entity === "" || api.noun === values.entity);
  const [whole = "", part] = values.field.split(".");

  const filter = (name: FilterName) => ({
    label: FILTER_LABELS[name],
    value: values[name],
    error: refusals.get(name),
    onChange: (value: string) => set({ [name]: value }),
  });
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset's legend cannot be laid out in a grid
    <div
      role="group"
      aria-label="Filters"
      className={styles.bar}
      data-open={isOpen || refusals.size > 0 || undefined}
    >
      <Button
        className={styles.toggle}
        size="small"
        icon={<Filter />}
        text={active.length > 0 ? `Tools (${active.length})` : "Tools"}
        aria-expanded={isOpen}
        aria-controls={fieldsId}
        onClick={() => setOpen(!isOpen)}
      />
      <div id={fieldsId} className={styles.fields}>
        <FilterText
          {...filter("q")}
          type="search"
          leftIcon={<Search />}
          placeholder={seesPersonal ? "Name, person, value, reason" : "Name, subject, value"}
          maxLength={MAX_TEXT}
        />
        <FilterChoice
          {...filter("entity")}
          choices={kinds.map(({ api }) => ({ value: api.noun, label: kindTitle(api.noun) }))}
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
        <FilterChoice {...filter("by")} choices={MAKERS.map(([value, label]) => ({ value, label }))} />
        <FilterChoice
          {...filter("type")}
          choices={CHANGE_KINDS.map((type) => ({ value: type, label: typeTitle(type) }))}
        />
        <FilterChoice
          {...filter("field")}
          choices={fieldChoices(chosen).map(({ name, label }) => ({ value: name, label }))}
          hint={part !== undefined && `Stored in “${whole}”: other changes to it are listed too.`}
        />
        <FilterMoment
          {...filter("from")}
          usualTime="00:00"
          value={localStart(values.from)}
          onChange={(from) => set({ from: startOf(from) })}
        />
        <FilterMoment
          {...filter("to")}
          label={`${FILTER_LABELS.to} (inclusive)`}
          usualTime="23:59"
          value={localEnd(values.to)}
          onChange={(to) => set({ to: endOf(to) })}
        />
      </div>
    </div>
  );

  /** Clears the field filter if the chosen kind does not have that field. */
  function fitting(entity: string) {
    const others = kinds.filter((kind) => entity === "" || kind.api.noun === entity);
    return others.some(({ labels }) => labels.has(values.field)) ? {} : { field: "" };
  }
}

/** Delay in milliseconds, so that partly typed text is rarely searched. */
const PAUSE = 400;

/** A text filter, applied when typing pauses, on Enter, and on blur. */
function FilterText({ value, onChange, ...input }: ComponentProps<typeof TextField>) {
  const [draft, setDraft, settle] = useSettledText(value, onChange, PAUSE);
  return (
    <TextField
      {...input}
      spellCheck={false}
      value={draft}
      onChange={setDraft}
      onKeyDown={({ key, nativeEvent }) => {
        if (key === "Enter" && !nativeEvent.isComposing) settle();
      }}
      onBlur={settle}
    />
  );
}

interface FilterMomentProps extends Pick<ComponentProps<typeof DateField>, "label" | "error"> {
  /** The time of a date without one. */
  usualTime: string;
  /** A date and time (`YYYY-MM-DDTHH:MM`), or empty. */
  value: string;
  onChange: (value: string) => void;
}

/** A date filter with a time, applied when typing pauses. */
function FilterMoment({ label, error, usualTime, value, onChange }: FilterMomentProps) {
  const [draft, setDraft] = useSettledText(value, onChange, PAUSE);
  const [date = "", time = ""] = draft.split("T");
  return (
    <div className={styles.moment}>
      <DateField
        label={label}
        error={error}
        value={date}
        onChange={(day) => setDraft(day && `${day}T${time || usualTime}`)}
      />
      <TextField
        label={`${label.split(" ")[0]} time`}
        type="time"
        disabled={date === ""}
        value={time}
        onChange={(changed) => setDraft(`${date}T${changed || usualTime}`)}
      />
    </div>
  );
}

/** The active filters, each with a button to remove it. */
export function FilterChips({ filters, kinds, people }: Omit<FilterBarProps, "refusals">) {
  const { set, clear } = filters;
  return (
    <ActiveFilters
      filters={filterTexts(filters, kinds, people).map(({ id, text }) => ({
        id,
        text,
        onRemove: () => {
          focusResults();
          set({ [id]: "" });
        },
      }))}
      onClear={() => {
        focusResults();
        clear();
      }}
    />
  );
}

/** The active filters in words, e.g. `Person: Asha Menon`. */
export function filterTexts(
  { active, values }: UsedFilters,
  kinds: readonly RecordDefinition[],
  people: People,
): readonly { id: FilterName; text: string }[] {
  return active.map((id) => ({ id, text: `${FILTER_LABELS[id]}: ${valueText(id, values, kinds, people)}` }));
}

function valueText(
  name: FilterName,
  filters: AuditFilters,
  kinds: readonly RecordDefinition[],
  people: People,
): string {
  const value = filters[name];
  switch (name) {
    case "entity":
      return kindTitle(value);
    case "actor":
      return people.get(value) ?? value;
    case "by":
      return MAKERS.find(([maker]) => maker === value)?.[1] ?? value;
    case "type":
      return typeTitle(value);
    case "field": {
      const chosen = kinds.filter(({ api }) => filters.entity === "" || api.noun === filters.entity);
      return fieldChoices(chosen).find((field) => field.name === value)?.label ?? value;
    }
    case "from":
      return formatMoment(value, false);
    case "to":
      return formatMoment(localEnd(value) || value, false);
    default:
      return value;
  }
}

/** Common periods up to the moment in view, in the browser's time zone; a second press clears the period. */
export function PresetButtons({ filters: { values, set } }: { filters: UsedFilters }) {
  const { asOf } = useAsOf();
  const now = asOf === null ? new Date() : new Date(asOf);
  const [year, month, day] = [now.getFullYear(), now.getMonth(), now.getDate()];
  const midnight = (...date: [number, number, number]) => startOf(`${toLocal(new Date(...date)).date}T00:00`);
  const presets = [
    { text: "Today", range: { from: midnight(year, month, day), to: "" } },
    { text: "7 days", range: { from: midnight(year, month, day - 6), to: "" } },
    { text: "Last month", range: { from: midnight(year, month - 1, 1), to: midnight(year, month, 1) } },
  ];
  return (
    <ButtonGroup aria-label="Days" role="group">
      {presets.map(({ text, range }) => {
        const isChosen = values.from === range.from && values.to === range.to;
        return (
          <Button
            key={text}
            text={text}
            size="small"
            active={isChosen}
            aria-pressed={isChosen}
            onClick={() => set(isChosen ? { from: "", to: "" } : range)}
          />
        );
      })}
    </ButtonGroup>
  );
}
