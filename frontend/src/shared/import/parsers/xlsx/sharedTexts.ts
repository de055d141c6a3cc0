/** Number of texts per block. */
const TOGETHER = 1_000;

/** In characters: the size of the blocks kept in memory, apart from the last block. */
const MOST_KEPT = 20_000_000;

/** The shared texts of a workbook: few are in memory, the others in blobs, which browsers keep on disk. */
export class SharedTexts {
  #last: string[] = [];
  readonly #stored: Blob[] = [];
  /** Blocks in memory by number, the most recently used last. */
  readonly #parts = new Map<number, readonly string[]>();
  #kept = 0;

  /** Characters in memory, apart from the last block. */
  get kept(): number {
    return this.#kept;
  }

  add(text: string): void {
    this.#last.push(text);
    if (this.#last.length < TOGETHER) return;
    this.#stored.push(new Blob([JSON.stringify(this.#last)]));
    this.#last = [];
  }

  /** Return a text by index; a promise if its block is not in memory. */
  at(place: number): string | Promise<string> {
    const number = Math.floor(place / TOGETHER);
    const part = number === this.#stored.length ? this.#last : this.#parts.get(number);
    if (part === undefined) return this.#load(number).then((texts) => texts[place % TOGETHER] ?? "");
    if (part !== this.#last) this.#keep(number, part);
    return part[place % TOGETHER] ?? "";
  }

  async #load(number: number): Promise<readonly string[]> {
    const texts = JSON.parse((await this.#stored[number]?.text()) ?? "[]") as readonly string[];
    if (!this.#parts.has(number)) this.#kept += sizeOf(texts);
    this.#keep(number, texts);
    for (const [oldest, part] of this.#parts) {
      if (this.#kept <= MOST_KEPT || oldest === number) break;
      this.#parts.delete(oldest);
      this.#kept -= sizeOf(part);
    }
    return texts;
  }

  #keep(number: number, texts: readonly string[]): void {
    this.#parts.delete(number);
    this.#parts.set(number, texts);
  }
}

function sizeOf(texts: readonly string[]): number {
  return texts.reduce((size, text) => size + text.length, 0);
}
