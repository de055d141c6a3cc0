import { createStore, type StoreApi } from "zustand";
import { newUuid } from "@/shared/api/newUuid";
import { refusalText } from "@/shared/auth/refusal";
import { partsOf, type Run, type SentRow, sendRows } from "@/shared/batch/sendRows";
import type { FormValues } from "@/shared/form";
import { changeTeller } from "../changes";
import type { Identified, RecordDefinition } from "../definition";
import type { FieldDeclaration } from "../fields";
import { patchOf } from "../wire";
import type { Named, What } from "./bulkStore";
import { type BulkState, openOutcome, outcomeOf, type RowOutcome } from "./outcomes";

interface Options {
  definition: RecordDefinition;
  what: What;
  records: readonly Named[];
  /** Reads records anew, as far as that is to be had, and more; they then have all that an answer told of. */
  reload: (ids: readonly string[]) => Promise<readonly Identified[]>;
  /** Told when records have changed. */
  onChanged: () => void;
  pause?: Run["pause"];
}

/** One run over many records: what would come of it, and the doing. */
export class BulkRun {
  readonly store: StoreApi<BulkState>;
  readonly #options: Options;
  /** What is sent, by the record's id. */
  #sent: ReadonlyMap<string, SentRow> = new Map();
  #reason: string | undefined;
  #batch = "";
  #aborter = new AbortController();

  constructor(options: Options) {
    this.#options = options;
    const { what, records } = options;
    this.store = createStore(() => ({
      ...{ step: "asking", what, rows: records.map(openOutcome), changes: new Map() },
    }));
  }

  /**
   * The dry run: the server decides about every record, and changes nothing.
   * @param told what the fields are to be, where that is what changes.
   */
  async check(told: readonly (readonly [FieldDeclaration, string])[] = []): Promise<void> {
    const { definition, what, records, reload } = this.#options;
    const values = patchOf(told);
    const action = what === "redo" ? "undo" : what;
    this.#prepare(
      records.map(({ id, version = null }, index) => ({
        ...{ key: String(index + 1), do: action, id, version, values },
      })),
    );
    this.#set({ step: "checking", rows: records.map(openOutcome), changes: new Map(), problem: undefined });
    try {
      await this.#send(true);
      if (this.#aborter.signal.aborted) return this.ask();
      // Read after the server has decided, they have nothing older than what it decided about; if it has anything
      // newer, the version will not hold, and the record is left alone.
      const changesOf = changeTeller(
        definition,
        told.length > 0 ? await reload(this.#rows.map(({ id }) => id)) : [],
      );
      const texts: FormValues = Object.fromEntries(told.map(([{ name }, text]) => [name, text]));
      const changes = new Map(
        this.#rows.map(({ id, fields }) => [id, changesOf({ id, fields, texts })] as const),
      );
      if (this.#aborter.signal.aborted) return this.ask();
      this.#set({ step: "checked", changes });
    } catch (error) {
      this.ask(problemOf(error));
    }
  }

  /** Back to the question. */
  ask(problem?: string): void {
    this.#set({ step: "asking", rows: this.#options.records.map(openOutcome), problem });
  }

  /**
   * Does what was checked, with each record that still is what it was then.
   * @param reason kept with every change; may be empty.
   */
  async carryOut(reason: string): Promise<void> {
    this.#reason = reason === "" ? undefined : reason;
    const rows = this.#rows.filter(({ outcome }) => outcome === "done");
    this.#prepare(
      rows.map(({ id, version }) => {
        const row = this.#rowOf(id);
        // An undoing is about the version it undoes, whatever has come since.
        return row.do === "undo" ? row : { ...row, version };
      }),
    );
    this.#set({ rows: this.#rows.map((row) => (row.outcome === "done" ? openOutcome(row) : row)) });
    await this.goOn();
  }

  /** What is open; also after it was stopped, with what of it is not known. */
  async goOn(): Promise<void> {
    this.#set({ step: "running", problem: undefined });
    try {
      await this.#send(false);
    } catch (error) {
      this.#set({ problem: problemOf(error) });
    }
    this.#set({ step: "ended" });
    this.#options.onChanged();
  }

  /** Ends with the records that are under way. */
  stop(): void {
    this.#set({ isStopping: true });
    this.#aborter.abort();
  }

  get #rows(): readonly RowOutcome[] {
    return this.store.getState().rows;
  }

  #set(change: Partial<BulkState>): void {
    this.store.setState(change);
  }

  #rowOf(id: string): SentRow {
    const row = this.#sent.get(id);
    if (row === undefined) throw new Error(`Nothing was sent of ${id}.`);
    return row;
  }

  #prepare(rows: readonly SentRow[]): void {
    this.#sent = new Map(rows.map((row) => [row.id ?? "", row]));
    this.#batch = newUuid();
  }

  /** Has the server decide about what is open, part by part. */
  async #send(isDry: boolean): Promise<void> {
    const { definition, pause } = this.#options;
    const { labels } = definition;
    this.#aborter = new AbortController();
    const { signal } = this.#aborter;
    this.#set({ isStopping: false });
    const run: Run = {
      batch: this.#batch,
      isDry,
      signal,
      onWait: (waiting) => this.#set({ waiting }),
      ...(pause && { pause }),
    };
    const isOpen = ({ outcome }: RowOutcome) => outcome === "open" || outcome === "unconfirmed";
    const destination = { path: definition.api.path, reason: this.#reason };
    try {
      for (const part of partsOf(this.#rows.filter(isOpen).map(({ id }) => this.#rowOf(id)))) {
        if (signal.aborted) return;
        const answers = await sendRows(destination, part, run);
        const keys = new Map(part.map(({ id, key }) => [id, key]));
        const rows = this.#rows.map((row) => {
          const key = keys.get(row.id);
          return key === undefined ? row : outcomeOf(row, answers.get(key), labels);
        });
        this.#set({ rows });
      }
    } finally {
      this.#set({ waiting: undefined, isStopping: false });
    }
  }
}

function problemOf(error: unknown): string {
  return refusalText(error) ?? (error instanceof Error ? error.message : String(error));
}
