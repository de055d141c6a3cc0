import { createStore, type StoreApi } from "zustand";
import { newUuid } from "@/shared/api/newUuid";
import { MAX_REASON, type Run } from "@/shared/batch/sendRows";
import type { FieldChange } from "@/shared/history";
import type { RecordDefinition } from "@/shared/records";
import { carryOut, type Plan, type RowOutcome } from "./carryOut";
import type { Reading } from "./cellText";
import { tellGoing } from "./going";
import { type OpenedFile, type OpenedSheet, openFile, openSheet } from "./openFile";
import { UnreadableFile } from "./reading/unreadable";
import { rememberColumns, rememberedColumns } from "./remembered";
import { certainOf, NO_RESULTS, type Results, withPart } from "./results";
import { matchColumns, type Target, targetsOf } from "./targets";
import { outcomeText } from "./words";

/** Where an import is: each state leads to the next, or back to the first. */
export interface ImportState {
  step: "file" | "reading" | "columns" | "checking" | "checked" | "importing" | "ended";
  /** What is wrong with what was asked for. */
  problem?: string | undefined;
  file?: OpenedFile;
  sheet?: OpenedSheet;
  /** Names of fields, one per column of the file; null where it is left out. */
  columns: readonly (string | null)[];
  reading: Reading;
  results: Results;
  /** The import's name in the audit trail, once it has begun. */
  batch?: string | undefined;
  /** In milliseconds of the epoch, and what was done by then. */
  began?: { at: number; done: number };
  /** Seconds until the server, which does not answer, is asked again. */
  waiting?: number | undefined;
  /** It was asked to end, and ends with the rows under way. */
  isStopping?: boolean;
}

const BEGINNING: ImportState = {
  step: "file",
  columns: [],
  reading: { emptiesFields: false, isMonthFirst: false },
  results: NO_RESULTS,
};

type ChangesOf = (row: RowOutcome) => readonly FieldChange[];

/** One import after another of a kind of record. It outlives its screen, so that one can look at others meanwhile. */
export class ImportSession {
  readonly store: StoreApi<ImportState>;
  readonly targets: readonly Target[];
  readonly #definition: RecordDefinition;
  readonly #pause: Run["pause"];
  #aborter = new AbortController();

  constructor(definition: RecordDefinition, pause?: Run["pause"]) {
    this.#definition = definition;
    this.#pause = pause;
    this.targets = targetsOf(definition);
    this.store = createStore(() => BEGINNING);
  }

  #set(change: Partial<ImportState>): void {
    this.store.setState(change);
  }

  /** Takes another file, or none. */
  begin(problem?: string): void {
    this.#aborter.abort();
    this.#aborter = new AbortController();
    this.store.setState({ ...BEGINNING, reading: this.store.getState().reading, problem }, true);
    tellGoing(this.#what, undefined);
  }

  async choose(file: File): Promise<void> {
    this.begin();
    const { signal } = this.#aborter;
    this.#set({ step: "reading" });
    try {
      const opened = await openFile(file);
      if (signal.aborted) return;
      this.#set({ file: opened });
      await this.chooseSheet(0);
    } catch (error) {
      if (!signal.aborted) this.begin(problemOf(error));
    }
  }

  async chooseSheet(index: number): Promise<void> {
    const { file } = this.store.getState();
    const { signal } = this.#aborter;
    if (file === undefined) return;
    try {
      const sheet = await openSheet(file.table, index);
      if (signal.aborted) return;
      const remembered = rememberedColumns(this.#definition.api.noun);
      const columns = matchColumns(sheet.header.cells, this.targets, remembered);
      this.#set({ step: "columns", sheet, columns, problem: undefined });
    } catch (error) {
      if (signal.aborted) return;
      // Another sheet may do.
      if (file.table.sheets.length > 1 && error instanceof UnreadableFile) {
        const sheet = { sheet: index, header: { number: 0, cells: [] }, count: 0, sample: [] };
        this.#set({ step: "columns", sheet, columns: [], problem: "There is no table in this sheet." });
      } else this.begin(problemOf(error));
    }
  }

  setColumn(index: number, name: string | null): void {
    const columns = this.store
      .getState()
      .columns.map((one, at) => (at === index ? name : one === name ? null : one));
    this.#set({ columns });
  }

  setReading(change: Partial<Reading>): void {
    this.#set({ reading: { ...this.store.getState().reading, ...change } });
  }

  backToColumns(): void {
    this.#aborter.abort();
    this.#aborter = new AbortController();
    this.#set({ step: "columns", results: NO_RESULTS, problem: undefined });
  }

  /** The dry run: the server decides of every row, and changes nothing. */
  async check(changesOf: ChangesOf): Promise<void> {
    const { sheet, columns } = this.store.getState();
    if (sheet === undefined) return;
    rememberColumns(this.#definition.api.noun, sheet.header.cells, columns);
    this.#set({ step: "checking", results: NO_RESULTS, problem: undefined });
    const isWhole = await this.#goThrough(newUuid(), true, changesOf);
    if (isWhole) this.#set({ step: "checked" });
  }

  /** Carries it out; after it was stopped, it goes on where it was. */
  async carryOut(changesOf: ChangesOf): Promise<void> {
    const { batch = newUuid(), step, results } = this.store.getState();
    const isGoingOn = step === "ended";
    this.#aborter = new AbortController();
    const { signal } = this.#aborter;
    this.#set({ step: "importing", batch, isStopping: false, problem: undefined });
    this.#set({ results: isGoingOn ? certainOf(results) : NO_RESULTS });
    await this.#goThrough(batch, false, changesOf);
    if (this.#isForgotten(signal)) return;
    this.#set({ step: "ended", isStopping: false });
    this.#tell(outcomeText(this.store.getState().results));
  }

  stop(): void {
    this.#set({ isStopping: true });
    this.#aborter.abort();
  }

  /** What comes of each row; whether it got to the end of the file. */
  async #goThrough(batch: string, isDry: boolean, changesOf: ChangesOf): Promise<boolean> {
    const { signal } = this.#aborter;
    const { results: before, sheet } = this.store.getState();
    this.#set({ began: { at: Date.now(), done: before.done } });
    if (!isDry) this.#tell();
    const onWait = (waiting: number | undefined) => this.#set({ waiting });
    const run: Run = { batch, isDry, signal, onWait, ...(this.#pause && { pause: this.#pause }) };
    try {
      for await (const part of carryOut(this.plan(), run, before.after)) {
        if (this.#isForgotten(signal) || (isDry && signal.aborted)) return false;
        this.#set({ results: withPart(this.store.getState().results, part, changesOf) });
        if (!isDry) this.#tell();
      }
      return !signal.aborted && sheet !== undefined;
    } catch (error) {
      if (this.#isForgotten(signal) || (isDry && signal.aborted)) return false;
      if (isDry) this.backToColumns();
      this.#set({ problem: problemOf(error) });
      return false;
    } finally {
      this.#set({ waiting: undefined });
    }
  }

  /** What is imported, from which file and how. */
  plan(): Plan {
    const { file, sheet, columns, reading } = this.store.getState();
    if (file === undefined || sheet === undefined) throw new Error("There is no file yet.");
    const targets = new Map(this.targets.map((target) => [target.name, target]));
    return {
      table: file.table,
      sheet: sheet.sheet,
      header: sheet.header.number,
      columns: columns.map((name) => (name === null ? undefined : targets.get(name))),
      targets: this.targets,
      reading,
      path: this.#definition.api.path,
      source: file.source,
      reason: `Import of ${file.name}`.slice(0, MAX_REASON),
    };
  }

  /** Whether something else has begun since, such as another user's import. */
  #isForgotten(signal: AbortSignal): boolean {
    return this.#aborter.signal !== signal;
  }

  get #what(): string {
    return `${this.#definition.api.noun}s`;
  }

  #tell(outcome?: string): void {
    const { results, sheet } = this.store.getState();
    const going = { what: this.#what, address: this.#definition.paths.import };
    const progress = { done: results.done, total: sheet?.count ?? 0 };
    tellGoing(this.#what, { ...going, ...progress, ...(outcome !== undefined && { outcome }) });
  }
}

/** What each step of the screen is given. */
export interface StepProps {
  definition: RecordDefinition;
  session: ImportSession;
}

function problemOf(error: unknown): string {
  if (!(error instanceof UnreadableFile)) console.error(error);
  return error instanceof Error ? error.message : String(error);
}
