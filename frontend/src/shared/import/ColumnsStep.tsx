import { Button, Checkbox } from "@blueprintjs/core";
import { useStore } from "zustand";
import { FilterChoice } from "@/shared/form/FilterChoice";
import { Notice } from "@/shared/ui";
import styles from "./import.module.css";
import { suggestionsFor } from "./matching";
import { DateOrderChoice, FormatChoices } from "./ReadingChoices";
import type { StepProps } from "./session";
import type { SourceSheet } from "./sourceFile";
import { ID, plain, REASON } from "./targets";
import { rows } from "./texts";

/** Matches the file's columns to fields. */
export function ColumnsStep({ definition, session }: StepProps) {
  const { file, sheet, columns, reading } = useStore(session.store);
  if (file === undefined || sheet === undefined) return null;
  const chosen = session.targets.filter(({ name }) => columns.includes(name));
  const suggestionText = (index: number) => {
    const suggested = suggestionsFor(index, sheet, columns, session.targets, definition.api.noun);
    return suggested.length > 0 && `Perhaps ${suggested.map(({ label }) => label).join(" or ")}`;
  };
  const isDate = (index: number) =>
    chosen.some(({ name, field }) => name === columns[index] && field?.kind === "date");
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
        <FormatChoices session={session} />
      </section>
      {sheet.count > 0 && (
        <>
          <section className={`fl-card ${styles.words}`} aria-label="Columns">
            <h2 className="fl-heading">Match columns to fields</h2>
            <ColumnRemarks definition={definition} session={session} />
            <div className={styles.columns}>
              {sheet.header.cells.map((header, index) =>
                isLeftOut(header, sheet, index) ? null : (
                  // biome-ignore lint/suspicious/noArrayIndexKey: the file's columns stay where they are
                  <div key={index}>
                    {isDate(index) && <DateOrderChoice session={session} column={index} />}
                    <FilterChoice
                      label={header.trim() || `Column ${index + 1}`}
                      hint={
                        <>
                          <span className="fl-ellipsis fl-block">{sampleOf(sheet, index)}</span>
                          {columns[index] === null && suggestionText(index)}
                        </>
                      }
                      all="(left out)"
                      choices={session.targets.map(({ name, label }) => ({ value: name, label }))}
                      value={columns[index] ?? ""}
                      onChange={(value) => session.setColumn(index, value || null)}
                    />
                  </div>
                ),
              )}
            </div>
          </section>
          <section className={`fl-card ${styles.words}`} aria-label="How cells are read">
            <Checkbox
              className={styles.check ?? ""}
              label="Clear the field where a cell is blank"
              checked={reading.clearsFields}
              onChange={({ currentTarget: { checked } }) =>
                session.set({ reading: { ...reading, clearsFields: checked } })
              }
            />
          </section>
          {chosen.length === 0 && (
            <Notice role="status" intent="warning">
              No column was recognised. The first row must have the column names: choose the fields above.
            </Notice>
          )}
        </>
      )}
      <div className="fl-flex fl-wrap fl-gap-8">
        {chosen.length > 0 && (
          <Button intent="primary" text={`Check ${rows(sheet.count)}`} onClick={() => void session.check()} />
        )}
        <Button text="Choose Another File" onClick={() => session.begin()} />
      </div>
    </>
  );
}

/** Return whether a column is hidden: it is blank, or the reason in a file of refused rows. */
function isLeftOut(header: string, { sample }: SourceSheet, index: number): boolean {
  if (plain(header) === plain(REASON)) return true;
  return header.trim() === "" && sample.every(({ cells }) => (cells[index] ?? "").trim() === "");
}

function sampleOf({ sample }: SourceSheet, index: number): string {
  const values = sample.map(({ cells }) => (cells[index] ?? "").trim()).filter((value) => value !== "");
  return values.length > 0 ? `e.g. ${values.join(" · ")}` : "first rows are empty";
}

/** Remarks about missing, unknown and duplicate columns. */
function ColumnRemarks({ definition, session }: StepProps) {
  const { sheet, columns } = useStore(session.store);
  const { noun } = definition.api;
  const missing = session.targets
    .filter(({ name, field }) => field?.required !== undefined && !columns.includes(name))
    .map(({ label }) => label);
  const id = session.targets.find(({ name }) => name === ID);
  const twice = repeated(sheet?.header.cells ?? []);
  const remarks = [
    missing.length > 0 && `Not matched yet: ${missing.join(", ")}. New ${noun}s are refused without them.`,
    id?.field?.required === undefined &&
      !columns.includes(ID) &&
      `No column is the ${id?.label}: rows that match an existing ${noun} change it, and other rows add one.`,
    twice.length > 0 && `Two columns have the same name (${twice.join(", ")}): the first one is used.`,
  ].filter((remark) => remark !== false);
  if (remarks.length === 0) return null;
  return (
    <ul className="fl-remark">
      {remarks.map((remark) => (
        <li key={remark}>{remark}</li>
      ))}
    </ul>
  );
}

function repeated(headers: readonly string[]): readonly string[] {
  const names = headers.map(plain);
  return headers.filter((_, index) => names[index] !== "" && names.indexOf(names[index] ?? "") < index);
}
