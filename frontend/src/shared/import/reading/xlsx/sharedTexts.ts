/** So many texts are put away and got together. */
const TOGETHER = 1_000;

/** In characters: parts are in memory up to this size, and the last one in any case. */
const MOST_KEPT = 20_000_000;

/** Cells' texts, which many of them share. Few are in memory, the others in blobs, which browsers keep on the disk. */
export class SharedTexts {
  #last: string[] = [];
  readonly #away: Blob[] = [];
  /** By their numbers, the most recently used at the end. */
  readonly #parts = new Map<number, readonly string[]>();
  #kept = 0;

  /** Characters of the parts in memory, but for the last one. */
  get kept(): number {
    return this.#kept;
  }

  add(text: string): void {
    this.#last.push(text);
    if (this.#last.length < TOGETHER) return;
    this.#away.push(new Blob([JSON.stringify(this.#last)]));
    this.#last = [];
  }

  /** One of them, by its place; of most, the others around it are in memory already. */
  at(place: number): string | Promise<string> {
    const number = Math.floor(place / TOGETHER);
    const part = number === this.#away.length ? this.#last : this.#parts.get(number);
    if (part === undefined) return this.#got(number).then((texts) => texts[place % TOGETHER] ?? "");
    if (part !== this.#last) this.#keep(number, part);
    return part[place % TOGETHER] ?? "";
  }

  async #got(number: number): Promise<readonly string[]> {
    const texts = JSON.parse((await this.#away[number]?.text()) ?? "[]") as readonly string[];
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
