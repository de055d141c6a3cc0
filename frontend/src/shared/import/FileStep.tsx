import { Button } from "@blueprintjs/core";
import { Download, Import } from "@blueprintjs/icons";
import { type DragEvent, useState } from "react";
import { saveCsv } from "@/shared/table/csv";
import { templateFile } from "./files";
import styles from "./import.module.css";
import type { StepProps } from "./session";

/** Asks for a file, by its dialog or by dropping it. */
export function FileStep({ definition, session }: StepProps) {
  const [isOver, setOver] = useState(false);
  const { noun } = definition.api;
  const choose = (files: FileList | null) => {
    const file = files?.[0];
    if (file) void session.choose(file);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    choose(event.dataTransfer.files);
  };
  return (
    <>
      {/* The keyboard uses the input; dropping a file is for the mouse. */}
      <label
        className={`fl-card ${styles.drop}`}
        data-over={isOver || undefined}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        <input
          type="file"
          className={styles.input}
          accept=".csv,.tsv,.txt,.xlsx"
          onChange={({ currentTarget }) => choose(currentTarget.files)}
        />
        <Import size={24} className="fl-muted" aria-hidden />
        <strong>Choose a CSV or XLSX file, or drop it here</strong>
      </label>
      <div className={`fl-card ${styles.words}`}>
        <p>
          The first row must have the column names. Rows with an existing ID change that {noun}; other rows
          add new {noun}s. You see a preview before anything changes.
        </p>
        <p className="fl-remark">The file stays in this browser; only its rows are sent.</p>
        <Button
          icon={<Download />}
          text="Download Template"
          onClick={() => saveCsv(`${noun}s-template`, templateFile(session.targets))}
        />
      </div>
    </>
  );
}
