import { Button, Checkbox } from "@blueprintjs/core";
import { Download, Undo } from "@blueprintjs/icons";
import { useEffect, useMemo } from "react";
import { useStore } from "zustand";
import { usePermission } from "@/shared/auth/permissions";
import { MAX_REASON } from "@/shared/batch/sendRows";
import { duplicatePermissions, isCompared } from "@/shared/duplicates/duplicates";
import { FilterChoice } from "@/shared/form/FilterChoice";
import { counted } from "@/shared/format/counted";
import { askBulk } from "@/shared/records/bulk/bulkStore";
import { useListAddress } from "@/shared/records/paths";
import { saveCsv } from "@/shared/table/csv";
import { useAddressParams } from "@/shared/table/useAddressParams";
import { toast } from "@/shared/toast";
import { LinkButton, Notice } from "@/shared/ui";
import { refusedFile } from "./files";
import styles from "./import.module.css";
import { ResultTable } from "./ResultTable";
import { chosenOf } from "./results";
import type { StepProps } from "./session";
import { outcomeText, rows } from "./texts";

/** The results of a dry run or import, and the next actions. */
export function ResultsStep({ definition, session }: StepProps) {
  const { step, results: planned, sheet, batch, file, choices, addsMatches } = useStore(session.store);
  const isEnd = step === "ended";
  const results = useMemo(() => (isEnd ? planned : chosenOf(planned, choices)), [isEnd, planned, choices]);
  const mayAudit = usePermission("audit:read");
  const mayRemove = usePermission("fleet:remove");
  const seesSimilar = usePermission(...duplicatePermissions(definition)) && isCompared(definition);
  useEffect(() => {
    if (step === "checked" && seesSimilar) void session.findSimilar();
  }, [step, seesSimilar, session]);
  const listAddress = useListAddress(definition.paths);
  const { counts, refused } = results;
  const isWhole = counts.unconfirmed === 0 && results.done === sheet?.count;
  const imported = counts.new + counts.changed;

  const undo = () =>
    askBulk({
      entity: definition.api.noun,
      what: "undo",
      records: [...results.made].map(([id, version]) => ({ id, name: id, version })),
      reason: `Undo of the import of ${file?.name}`.slice(0, MAX_REASON),
    });

  const [, update] = useAddressParams();
  /** Clear the list's filters before the next step. */
  const goOn = (go: () => unknown) => () => {
    update({ only: null, q: null, page: null, row: null });
    void go();
  };

  const saveRefused = async () => {
    try {
      const text = await refusedFile(session.plan(), sheet?.header.cells ?? [], refused);
      saveCsv(`${definition.api.noun}s-refused`, text);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      toast.show({ title: "Failed to download", message, intent: "danger" });
    }
  };

  return (
    <>
      {isEnd && (
        <Notice role="status" intent={isWhole ? "success" : "warning"}>
          <strong>{isWhole ? "Import finished." : "Import stopped."}</strong> {`${outcomeText(results)}.`}
          {counts.unconfirmed > 0 && " Continue to check the unconfirmed rows."}
        </Notice>
      )}
      {!isEnd && (
        <p role="status" className="fl-text">
          {imported === 0
            ? "Nothing would change."
            : `This will import ${rows(imported)}. Nothing has been changed yet.`}
        </p>
      )}
      {results.warnings > 0 && (
        <Notice role="status" intent="warning">
          {counted(results.warnings, "warning")}: check the cells that the list names.
        </Notice>
      )}
      <div className="fl-flex fl-wrap fl-gap-8">
        {!isEnd && imported > 0 && (
          <Button
            intent="primary"
            text={`Import ${rows(imported)}`}
            onClick={goOn(() => session.execute())}
          />
        )}
        {isEnd && !isWhole && (
          <Button intent="primary" text="Continue" onClick={goOn(() => session.execute())} />
        )}
        {refused.size > 0 && (
          <Button icon={<Download />} text="Download Refused Rows" onClick={() => void saveRefused()} />
        )}
        {!isEnd && <Button text="Back to Columns" onClick={goOn(() => session.backToColumns())} />}
        <Button text="Choose Another File" onClick={goOn(() => session.begin())} />
        {/* Undoing an addition removes the record. */}
        {isEnd && results.made.size > 0 && (mayRemove || counts.changed > 0) && (
          <Button icon={<Undo />} text="Undo Import" onClick={undo} />
        )}
        {isEnd && mayAudit && (
          <LinkButton to={`/management/audit?batch=${batch}`} text="Show in Audit Trail" />
        )}
        {isEnd && <LinkButton to={listAddress} text={definition.texts.back} />}
      </div>
      {!isEnd && planned.counts.changed > 0 && (
        <Checkbox
          className={styles.check ?? ""}
          label="Add new records only"
          checked={choices.addsOnly}
          onChange={({ currentTarget: { checked } }) =>
            session.set({ choices: { ...choices, addsOnly: checked } })
          }
        />
      )}
      {!isEnd && (planned.matched > 0 || addsMatches) && (
        <FilterChoice
          label="Rows without ID that match an existing record"
          all={`Change the record${addsMatches ? "" : ` (${rows(planned.matched)})`}`}
          choices={[{ value: "add", label: "Add a new record" }]}
          value={addsMatches ? "add" : ""}
          onChange={(value) => {
            session.set({ addsMatches: value === "add" });
            goOn(() => session.check())();
          }}
        />
      )}
      <ResultTable definition={definition} session={session} results={results} isEnd={isEnd} />
    </>
  );
}
