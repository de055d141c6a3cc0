import { Radio, RadioGroup } from "@blueprintjs/core";
import { useStore } from "zustand";
import type { DateReading } from "@/shared/form/dayText";
import { type DateOrder, readDate } from "./dates";
import styles from "./import.module.css";
import type { DoubtfulFormat } from "./parsers/tableFile";
import type { ImportSession } from "./session";

interface SampledChoiceProps extends Omit<DoubtfulFormat, "name"> {
  onChange: (value: string) => void;
}

/** A choice that shows how the file would be read by each option. */
function SampledChoice({ label, value, options, onChange }: SampledChoiceProps) {
  return (
    <RadioGroup
      label={label}
      className={styles.choice ?? ""}
      selectedValue={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    >
      {options.map((option) => (
        <Radio key={option.value} value={option.value}>
          {option.label} <span className="fl-remark fl-anywhere">{option.sample}</span>
        </Radio>
      ))}
    </RadioGroup>
  );
}

/** Asks for the encoding and the separator where they are in doubt. */
export function FormatChoices({ session }: { session: ImportSession }) {
  const doubts = useStore(session.store, ({ file }) => file?.table.doubts) ?? [];
  return doubts.map((doubt) => (
    <SampledChoice
      key={doubt.name}
      {...doubt}
      onChange={(value) => void session.chooseFormat(doubt.name, value)}
    />
  ));
}

/** Asks whether a column's dates have the day or the month first, if the dates do not show it. */
export function DateOrderChoice({ session, column }: { session: ImportSession; column: number }) {
  const order = useStore(session.store, ({ sheet }) => sheet?.dates[column]);
  const { monthFirst } = useStore(session.store, ({ reading }) => reading);
  const target = useStore(session.store, ({ columns }) => columns[column]);
  const expires = session.targets.find(({ name }) => name === target)?.field?.expires;
  if (order === undefined || (order.either.length === 0 && order.month === undefined)) return null;
  return (
    <SampledChoice
      label="Order of dates"
      value={monthFirst.has(column) ? "month" : "day"}
      options={[
        { value: "day", label: "Day first", sample: examplesOf(order, { isMonthFirst: false, expires }) },
        { value: "month", label: "Month first", sample: examplesOf(order, { isMonthFirst: true, expires }) },
      ]}
      onChange={(value) => session.setMonthFirst(column, value === "month")}
    />
  );
}

/** Return two dates of a column as they would be read. */
function examplesOf({ either, month, day }: DateOrder, reading: DateReading): string {
  return [month, day, ...either]
    .flatMap((text) => text ?? [])
    .slice(0, 2)
    .map((text) => {
      const date = readDate(text, reading);
      return date ? `${text} is ${LONG.format(new Date(date.day))}` : `${text} is not a date`;
    })
    .join("; ");
}

const LONG = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" });
