import { createStore, type StoreApi } from "zustand";
import { newUuid } from "@/shared/api/newUuid";
import { refusalText } from "@/shared/auth/refusal";
import { partsOf, type Run, type SentRow, sendRows } from "@/shared/batch/sendRows";
import { changeReader } from "../changes";
import type { Identified, RecordDefinition } from "../definition";
import type { FieldDeclaration } from "../fields";
import { patchOf } from "../wire";
import type { BulkRequest } from "./bulkStore";
import { type BulkState, openOutcome, outcomeOf, type RecordOutcome } from "./outcomes";

interface Options extends Pick<BulkRequest, "what" | "records"> {
  definition: RecordDefinition;
  /** Read records again, at least as new as the dry run's answer; some may be missing. */
  reload: (ids: readonly string[]) => Promise<readonly Identified[]>;
  onChanged: () => void;
  pause?: Run["pause"];
}

/** A bulk run: a dry run, then the execution. */
export class BulkRun {
  readonly store: StoreApi<BulkState>;
  readonly #options: Options;
  /** Rows to send, by the record's id. */
  #sent = new Map<string, SentRow>();
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
   * Run the dry run: the server decides about every record without changing any.
   * @param changes new values, for a change.
   */
  async check(changes: readonly (readonly [FieldDeclaration, string])[] = []): Promise<void> {
    const { definition, what, records, reload } = this.#options;
    const values = patchOf(changes);
    const action = what === "redo" ? "undo" : what;
    this.#batch = newUuid();
    this.#sent = new Map(
      records.map(({ id, version = null }, index) => [
        id,
        { key: String(index + 1), do: action, id, version, values },
      ]),
    );
    this.#set({ step: "checking", rows: records.map(openOutcome), changes: new Map(), problem: undefined });
    try {
      await this.#send(true);
      if (this.#aborter.signal.aborted) return this.ask();
      // Records are read after the dry run. If one is newer than the dry run's version, the execution reports a
      // conflict and skips the record.
      const records = changes.length > 0 ? await reload(this.#rows.map(({ id }) => id)) : [];
      const changesOf = changeReader(definition, records);
      const texts = Object.fromEntries(changes.map(([{ name }, text]) => [name, text]));
      const shown = new Map(this.#rows.map((row) => [row.id, changesOf({ ...row, texts })]));
      if (this.#aborter.signal.aborted) return this.ask();
      this.#set({ step: "checked", changes: shown });
    } catch (error) {
      this.ask(problemOf(error));
    }
  }

  /** Return to the question. */
  ask(problem?: string): void {
    this.#set({ step: "asking", rows: this.#options.records.map(openOutcome), problem });
  }

  /**
   * Execute the run for each record that is unchanged since the dry run.
   * @param reason stored with every change; may be empty.
   */
  async execute(reason: string): Promise<void> {
    this.#reason = reason === "" ? undefined : reason;
    this.#batch = newUuid();
    for (const { id, version } of this.#rows) {
      const row = this.#sent.get(id);
      // An undo names the version to undo, not the current one.
      if (row && row.do !== "undo") this.#sent.set(id, { ...row, version });
    }
    this.#set({ rows: this.#rows.map((row) => (row.outcome === "done" ? openOutcome(row) : row)) });
    await this.resume();
  }

  /** Send the open and unconfirmed rows, also after a stop. */
  async resume(): Promise<void> {
    this.#set({ step: "running", problem: undefined });
    try {
      await this.#send(false);
    } catch (error) {
      this.#set({ problem: problemOf(error) });
    }
    this.#set({ step: "ended" });
    this.#options.onChanged();
  }

  /** Stop after the current request. */
  stop(): void {
    this.#set({ isStopping: true });
    this.#aborter.abort();
  }

  get #rows(): readonly RecordOutcome[] {
    return this.store.getState().rows;
  }

  #set(change: Partial<BulkState>): void {
    this.store.setState(change);
  }

  /** Send the open rows, request by request. */
  async #send(isDry: boolean): Promise<void> {
    const { definition, pause } = this.#options;
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
    const open = this.#rows.filter(({ outcome }) => outcome === "open" || outcome === "unconfirmed");
    const destination = { path: definition.api.path, reason: this.#reason };
    try {
      for (const part of partsOf(open.flatMap(({ id }) => this.#sent.get(id) ?? []))) {
        if (signal.aborted) return;
        const answers = await sendRows(destination, part, run);
        const keys = new Map(part.map(({ id, key }) => [id, key]));
        const rows = this.#rows.map((row) => {
          const key = keys.get(row.id);
          return key === undefined ? row : outcomeOf(row, answers.get(key), definition.labels);
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
