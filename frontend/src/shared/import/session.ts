import { createStore, type StoreApi } from "zustand";
import { newUuid } from "@/shared/api/newUuid";
import { useAuthStore } from "@/shared/auth/authStore";
import { MAX_REASON, type Run } from "@/shared/batch/sendRows";
import { comparedValues, findSimilar, MOST_ROWS, type Suggestion } from "@/shared/duplicates/duplicates";
import type { Identified, RecordDefinition } from "@/shared/records";
import { changeReader } from "@/shared/records/changes";
import { readList } from "@/shared/records/useRecords";
import type { Reading } from "./cellText";
import { storeColumns, storedColumns } from "./columnChoices";
import { monthFirstColumns } from "./dates";
import { executePlan, type Plan } from "./execution";
import { existingRecords, type FindRecord } from "./existing";
import { matchColumns } from "./matching";
import { UnreadableFile } from "./parsers/errors";
import type { DoubtfulFormat } from "./parsers/tableFile";
import { reportProgress } from "./progress";
import type { Problem } from "./readRow";
import { type Choices, certainOf, NO_RESULTS, type Results, withPart } from "./results";
import { openFile, openSheet, type SourceFile, type SourceSheet } from "./sourceFile";
import { type Target, targetsOf } from "./targets";
import { outcomeText } from "./texts";

/** State of an import. Each step leads to the next, or back to the first. */
export interface ImportState {
  step: "file" | "reading" | "columns" | "checking" | "checked" | "importing" | "ended";
  /** Why the last action failed. */
  problem?: string | undefined;
  file?: SourceFile;
  sheet?: SourceSheet;
  /** Names of fields by column; null if the column is ignored. */
  columns: readonly (string | null)[];
  reading: Reading;
  choices: Choices;
  /** Rows without an id that equal a record add another one. */
  addsMatches: boolean;
  results: Results;
  /** Similar records by row number, found after the dry run. */
  similar: ReadonlyMap<number, readonly Suggestion[]>;
  /** The import's id in the audit trail, once started. */
  batch?: string | undefined;
  /** Start time (milliseconds since the epoch) and rows processed by then. */
  began?: { at: number; done: number };
  /** Seconds until the next retry. */
  waiting?: number | undefined;
  /** Stopping after the current request. */
  isStopping?: boolean;
}

const BEGINNING: ImportState = {
  step: "file",
  columns: [],
  reading: { clearsFields: false, monthFirst: new Set() },
  choices: { leftOut: new Set(), addsOnly: false },
  addsMatches: false,
  results: NO_RESULTS,
  similar: new Map(),
};

/** The imports of a kind of record, one at a time. A session survives leaving its screen. */
export class ImportSession {
  readonly store: StoreApi<ImportState>;
  readonly targets: readonly Target[];
  readonly #definition: RecordDefinition;
  readonly #pause: Run["pause"];
  #aborter = new AbortController();
  #former: Promise<readonly Identified[]> | undefined;
  /** Finds the records that exist before the import. */
  #existing: Promise<FindRecord> | undefined;
  /** The results whose new rows were compared with existing records. */
  #compared: Results | undefined;
  /** Why rows of the dry run are duplicates of others in the file. */
  readonly #doubles = new Map<number, readonly Problem[]>();
  /** Lists a row's old and new values. */
  #changesOf: ReturnType<typeof changeReader> | undefined;

  constructor(definition: RecordDefinition, pause?: Run["pause"]) {
    this.#definition = definition;
    this.#pause = pause;
    this.targets = targetsOf(definition);
    this.store = createStore(() => BEGINNING);
  }

  set(change: Partial<ImportState>): void {
    this.store.setState(change);
  }

  /** Reset for another file. */
  begin(problem?: string): void {
    this.#aborter.abort();
    this.#aborter = new AbortController();
    this.store.setState({ ...BEGINNING, reading: this.store.getState().reading, problem }, true);
    reportProgress(this.#what, undefined);
  }

  async choose(file: File): Promise<void> {
    this.begin();
    const { signal } = this.#aborter;
    this.set({ step: "reading" });
    try {
      const opened = await openFile(file);
      if (signal.aborted) return;
      this.set({ file: opened });
      await this.chooseSheet(0);
    } catch (error) {
      if (!signal.aborted) this.begin(problemOf(error));
    }
  }

  /** Read the file again with another encoding or separator. */
  async chooseFormat(name: DoubtfulFormat["name"], value: string): Promise<void> {
    const { file, sheet } = this.store.getState();
    const { signal } = this.#aborter;
    const table = await file?.table.reopen?.(name, value);
    if (file === undefined || table === undefined || signal.aborted) return;
    this.set({ file: { ...file, table } });
    await this.chooseSheet(sheet?.sheet ?? 0);
  }

  async chooseSheet(index: number): Promise<void> {
    const { file } = this.store.getState();
    const { signal } = this.#aborter;
    if (file === undefined) return;
    try {
      const sheet = await openSheet(file.table, index);
      if (signal.aborted) return;
      const { noun } = this.#definition.api;
      const columns = matchColumns(sheet, this.targets, noun, storedColumns(noun));
      const reading = { ...this.store.getState().reading, monthFirst: monthFirstColumns(sheet.dates) };
      this.set({ step: "columns", sheet, columns, reading, problem: undefined });
    } catch (error) {
      if (signal.aborted) return;
      // Another sheet, encoding or separator may have a table.
      const { sheets, doubts = [] } = file.table;
      if ((sheets.length > 1 || doubts.length > 0) && error instanceof UnreadableFile) {
        const sheet = { sheet: index, header: { number: 0, cells: [] }, count: 0, sample: [], dates: [] };
        this.set({
          step: "columns",
          sheet,
          columns: [],
          problem: sheets.length > 1 ? "This sheet has no table." : error.message,
        });
      } else this.begin(problemOf(error));
    }
  }

  setColumn(index: number, name: string | null): void {
    const columns = this.store
      .getState()
      .columns.map((one, at) => (at === index ? name : one === name ? null : one));
    this.set({ columns });
  }

  /** Leave rows out of the import, or put them back. */
  leaveOut(numbers: readonly number[], isOut: boolean): void {
    const { choices } = this.store.getState();
    const leftOut = new Set(choices.leftOut);
    for (const number of numbers) isOut ? leftOut.add(number) : leftOut.delete(number);
    this.set({ choices: { ...choices, leftOut } });
  }

  /** Set whether a column's dates have the month before the day. */
  setMonthFirst(column: number, isMonthFirst: boolean): void {
    const monthFirst = new Set(this.store.getState().reading.monthFirst);
    if (isMonthFirst) monthFirst.add(column);
    else monthFirst.delete(column);
    this.set({ reading: { ...this.store.getState().reading, monthFirst } });
  }

  backToColumns(): void {
    this.#aborter.abort();
    this.#aborter = new AbortController();
    this.set({ step: "columns", results: NO_RESULTS, problem: undefined });
  }

  /** Run the dry run: the server decides about every row without changing anything. */
  async check(): Promise<void> {
    const { sheet, columns } = this.store.getState();
    if (sheet === undefined) return;
    storeColumns(this.#definition.api.noun, sheet.header.cells, columns);
    this.#former = undefined;
    this.#existing = undefined;
    this.#changesOf = undefined;
    this.#doubles.clear();
    const { choices, similar } = BEGINNING;
    this.set({ step: "checking", results: NO_RESULTS, choices, similar, problem: undefined });
    const isWhole = await this.#goThrough(newUuid(), true);
    if (isWhole) this.set({ step: "checked" });
  }

  /** Find records that are similar to those that would be new, part by part. */
  async findSimilar(): Promise<void> {
    const { signal } = this.#aborter;
    const { results } = this.store.getState();
    if (this.#compared === results) return;
    this.#compared = results;
    const added = results.listed.filter(({ outcome }) => outcome === "new");
    for (let at = 0; at < added.length && !signal.aborted; at += MOST_ROWS) {
      const part = added.slice(at, at + MOST_ROWS);
      const rows = part.map(({ texts }) => ({ id: null, values: comparedValues(this.#definition, texts) }));
      // The suggestions are optional: nothing waits for them.
      const found = await findSimilar(this.#definition, rows, signal).catch(() => undefined);
      if (found === undefined || signal.aborted) return;
      const similar = new Map(this.store.getState().similar);
      for (const [index, { number }] of part.entries()) {
        if (found[index]?.length) similar.set(number, found[index]);
      }
      this.set({ similar });
    }
  }

  /** Execute the import, or continue a stopped one. */
  async execute(): Promise<void> {
    const { batch = newUuid(), step, results, choices } = this.store.getState();
    const isGoingOn = step === "ended";
    this.#aborter = new AbortController();
    const { signal } = this.#aborter;
    if (choices.addsOnly && !isGoingOn) this.leaveOut([...results.changed], true);
    this.set({ step: "importing", batch, isStopping: false, problem: undefined });
    this.set({ results: isGoingOn ? certainOf(results) : NO_RESULTS });
    await this.#goThrough(batch, false);
    if (this.#isReset(signal)) return;
    this.set({ step: "ended", isStopping: false });
    this.#report(outcomeText(this.store.getState().results));
  }

  stop(): void {
    this.set({ isStopping: true });
    this.#aborter.abort();
  }

  /** Send the rows; return whether the end of the file was reached. */
  async #goThrough(batch: string, isDry: boolean): Promise<boolean> {
    const { signal } = this.#aborter;
    const { results: before, sheet } = this.store.getState();
    this.set({ began: { at: Date.now(), done: before.done } });
    if (!isDry) this.#report();
    const onWait = (waiting: number | undefined) => this.set({ waiting });
    const run: Run = { batch, isDry, signal, onWait, ...(this.#pause && { pause: this.#pause }) };
    this.#changesOf ??= changeReader(this.#definition, await this.#formerRecords().catch(() => []));
    const changesOf = this.#changesOf;
    try {
      for await (const part of executePlan(this.plan(), run, before.after)) {
        if (this.#isReset(signal) || (isDry && signal.aborted)) return false;
        this.set({ results: withPart(this.store.getState().results, part, changesOf) });
        for (const { number, outcome, problems } of part)
          if (outcome === "duplicate") this.#doubles.set(number, problems);
        if (!isDry) this.#report();
      }
      return !signal.aborted && sheet !== undefined;
    } catch (error) {
      if (this.#isReset(signal) || (isDry && signal.aborted)) return false;
      if (isDry) this.backToColumns();
      this.set({ problem: problemOf(error) });
      return false;
    } finally {
      this.set({ waiting: undefined });
    }
  }

  /** Return all records before the dry run. */
  #formerRecords() {
    this.#former ??= readList(this.#definition.api.path).then(({ content }) => content);
    return this.#former;
  }

  plan(): Plan {
    const { file, sheet, columns, reading, choices, addsMatches } = this.store.getState();
    if (file === undefined || sheet === undefined) throw new Error("There is no file yet.");
    const targets = new Map(this.targets.map((target) => [target.name, target]));
    const targetsOfColumns = columns.map((name) => (name === null ? undefined : targets.get(name)));
    const existing = () => {
      this.#existing ??= existingRecords(this.#definition, targetsOfColumns, this.#formerRecords());
      return this.#existing;
    };
    return {
      table: file.table,
      sheet: sheet.sheet,
      header: sheet.header.number,
      columns: targetsOfColumns,
      targets: this.targets,
      reading,
      leftOut: choices.leftOut,
      doubles: this.#doubles,
      existing: addsMatches ? undefined : existing,
      path: this.#definition.api.path,
      source: file.source,
      reason: `Import of ${file.name}`.slice(0, MAX_REASON),
    };
  }

  /** Return whether another import has begun since. */
  #isReset(signal: AbortSignal): boolean {
    return this.#aborter.signal !== signal;
  }

  get #what(): string {
    return `${this.#definition.api.noun}s`;
  }

  #report(outcome?: string): void {
    const { results, sheet } = this.store.getState();
    reportProgress(this.#what, {
      ...{ what: this.#what, address: this.#definition.paths.import ?? "" },
      ...{ done: results.done, total: sheet?.count ?? 0, ...(outcome !== undefined && { outcome }) },
    });
  }
}

export interface StepProps {
  definition: RecordDefinition;
  session: ImportSession;
}

function problemOf(error: unknown): string {
  if (!(error instanceof UnreadableFile)) console.error(error);
  return error instanceof Error ? error.message : String(error);
}

const sessions = new Map<string, ImportSession>();

/** Return the session of a kind of record in this tab. */
export function sessionOf(definition: RecordDefinition): ImportSession {
  const { noun } = definition.api;
  const session = sessions.get(noun) ?? new ImportSession(definition);
  sessions.set(noun, session);
  return session;
}

let lastUser = useAuthStore.getState().user?.sub;

/** Another user must not see the session; the same user keeps it after signing in again. */
useAuthStore.subscribe(({ user }) => {
  if (user === null || user.sub === lastUser) return;
  if (lastUser !== undefined) {
    for (const session of sessions.values()) session.begin();
    sessions.clear();
  }
  lastUser = user.sub;
});
