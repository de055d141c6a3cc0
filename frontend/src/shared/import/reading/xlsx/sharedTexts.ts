/** So many texts are put away and got together. */
const TOGETHER = 1_000;

/** So many of these parts are in memory. */
const MOST_PARTS = 50;

/** Cells' texts, which many of them share. Few are in memory, the others in blobs, which browsers keep on the disk. */
export class SharedTexts {
  #last: string[] = [];
  readonly #away: Blob[] = [];
  /** By their numbers, what was asked for last at the end. */
  readonly #parts = new Map<number, readonly string[]>();

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
    this.#keep(number, texts);
    const [oldest] = this.#parts.keys();
    if (this.#parts.size > MOST_PARTS && oldest !== undefined) this.#parts.delete(oldest);
    return texts;
  }

  #keep(number: number, texts: readonly string[]): void {
    this.#parts.delete(number);
    this.#parts.set(number, texts);
  }
}
