import { Button, Checkbox, HTMLSelect } from "@blueprintjs/core";
import { useStore } from "zustand";
import { FilterChoice } from "@/shared/form/FilterChoice";
import { LabelledField } from "@/shared/form/LabelledField";
import { Notice } from "@/shared/ui";
import { ColumnRemarks } from "./ColumnRemarks";
import styles from "./import.module.css";
import type { OpenedSheet } from "./openFile";
import type { StepProps } from "./session";
import { plain, REASON, type Target } from "./targets";
import { useChangeTeller } from "./useChangeTeller";
import { rows } from "./words";

/** Says which field each column of the file is. */
export function ColumnsStep({ definition, session }: StepProps) {
  const { file, sheet, columns, reading } = useStore(session.store);
  const changesOf = useChangeTeller(definition);
  if (file === undefined || sheet === undefined) return null;
  const chosen = session.targets.filter(({ name }) => columns.includes(name));
  const hasDates = chosen.some(({ field }) => field?.kind === "date");
  return (
    <>
      <section className={`fl-card ${styles.words}`} aria-label="File">
        <p>
          <strong>{file.name}</strong> <span className="fl-muted">({file.table.description})</span>
        </p>
        {file.table.sheets.length > 1 && (
          <FilterChoice
            label="Sheet"
            all={file.table.sheets[0] ?? ""}
            choices={file.table.sheets.slice(1).map((label, index) => ({ value: String(index + 1), label }))}
            value={sheet.sheet === 0 ? "" : String(sheet.sheet)}
            onChange={(value) => void session.chooseSheet(Number(value))}
          />
        )}
      </section>
      {sheet.count > 0 && (
        <>
          <section className={`fl-card ${styles.words}`} aria-label="Columns">
            <h2 className={styles.title}>Which field is each column?</h2>
            <ColumnRemarks definition={definition} session={session} />
            <div className={styles.columns}>
              {sheet.header.cells.map((header, index) =>
                isLeftOut(header, sheet, index) ? null : (
                  <LabelledField
                    // biome-ignore lint/suspicious/noArrayIndexKey: the file's columns stay where they are
                    key={index}
                    label={header.trim() || `Column ${index + 1}`}
                    hint={<span className={styles.sample}>{sampleOf(sheet, index)}</span>}
                  >
                    {(control) => (
                      <HTMLSelect
                        {...control}
                        fill
                        value={columns[index] ?? ""}
                        onChange={({ currentTarget: { value } }) => session.setColumn(index, value || null)}
                        options={optionsOf(session.targets)}
                      />
                    )}
                  </LabelledField>
                ),
              )}
            </div>
          </section>
          <section className={`fl-card ${styles.words}`} aria-label="How cells are read">
            <Checkbox
              className={styles.check ?? ""}
              label="Empty cells empty the field"
              checked={reading.emptiesFields}
              onChange={({ currentTarget }) => session.setReading({ emptiesFields: currentTarget.checked })}
            />
            {hasDates && (
              <FilterChoice
                label="Dates such as 03/04/2026"
                all="day/month/year"
                choices={[{ value: "month", label: "month/day/year" }]}
                value={reading.isMonthFirst ? "month" : ""}
                onChange={(value) => session.setReading({ isMonthFirst: value === "month" })}
              />
            )}
          </section>
          {chosen.length === 0 && (
            <Notice role="status" intent="warning">
              No column is known by its name. The first row must name the columns: choose above what they are.
            </Notice>
          )}
        </>
      )}
      <div className={styles.actions}>
        {chosen.length > 0 && (
          <Button
            intent="primary"
            text={`Check ${rows(sheet.count)}`}
            onClick={() => void session.check(changesOf)}
          />
        )}
        <Button text="Choose Another File" onClick={() => session.begin()} />
      </div>
    </>
  );
}

/** Columns without a name and a value are none; the reason is told anew. */
function isLeftOut(header: string, { sample }: OpenedSheet, index: number): boolean {
  if (plain(header) === plain(REASON)) return true;
  return header.trim() === "" && sample.every(({ cells }) => (cells[index] ?? "").trim() === "");
}

function sampleOf({ sample }: OpenedSheet, index: number): string {
  const values = sample.map(({ cells }) => (cells[index] ?? "").trim()).filter((value) => value !== "");
  return values.length > 0 ? `such as ${values.join(" · ")}` : "empty at first";
}

function optionsOf(targets: readonly Target[]) {
  return [{ value: "", label: "(left out)" }, ...targets.map(({ name, label }) => ({ value: name, label }))];
}
